# SPDX-License-Identifier: Apache-2.0
# A plugin in assembly for x86-64: the note, the entry and the run by hand. The numbers are where
# the members of the structs of curfew/plugin.h are.

        .section .note.curfew, "a", @note
        .balign 4
        .long   7, 8, 1                 # bytes of the name and of what follows it, type
        .asciz  "Curfew"
        .balign 4
        .long   0, 0                    # the ABI, reserved

        .section .rodata
id:           .asciz "org.example.assembly-plugin"
version:      .asciz "1.0.0"
identifier:   .asciz "org.example.assembly"
not_taken:    .asciz "the host does not take the handler"
not_known:    .asciz "the host does not know the task"
fail_text:    .asciz "the payload says so"
stopped_text: .asciz "stopped"
        .balign 8
nap:    .quad   0, 1000000              # a timespec of 1 ms

        .section .data.rel.ro, "aw"
        .balign 8
handler:
        .long   40, 0                   # struct_size, reserved
        .quad   identifier, 0, run, 0   # identifier, handler_data, run, expired

        .text
# curfew_plugin_entry(rdi api, rsi host_info, rdx host_error)
        .globl  curfew_plugin_entry
        .type   curfew_plugin_entry, @function
curfew_plugin_entry:
        pushq   %rdx
        leaq    id(%rip), %rax
        movq    %rax, 8(%rsi)
        leaq    version(%rip), %rax
        movq    %rax, 16(%rsi)
        leaq    handler(%rip), %rsi
        call    *8(%rdi)                # register_handler(api, handler, host_error)
        popq    %rdx
        testl   %eax, %eax
        jz      1f
        leaq    not_taken(%rip), %rsi
        jmp     tell
1:      ret
        .size   curfew_plugin_entry, . - curfew_plugin_entry

# tell(rdx host_error, rsi text): copies the text into the message, and leaves eax as it is.
        .type   tell, @function
tell:
        addq    $8, %rdx
1:      movb    (%rsi), %cl
        movb    %cl, (%rdx)
        incq    %rsi
        incq    %rdx
        testb   %cl, %cl
        jnz     1b
        ret
        .size   tell, . - tell

# run(rdi handler_data, rsi api, rdx task, rcx host_error)
        .type   run, @function
run:
        pushq   %rbx
        pushq   %rbp
        pushq   %r12
        pushq   %r13
        subq    $56, %rsp               # a curfew_task_info; the stack is at a multiple of 16 now
        movq    %rsi, %rbx
        movq    %rdx, %r12
        movq    %rcx, %r13
        movl    $56, (%rsp)
        movq    %rbx, %rdi
        movq    %r12, %rsi
        movq    %rsp, %rdx
        call    *16(%rbx)               # task_info(api, task, info)
        leaq    not_known(%rip), %rsi
        testl   %eax, %eax
        jnz     failed
        cmpq    $4, 32(%rsp)            # payload_bytes
        jne     done
        movq    24(%rsp), %rcx          # payload
        movl    (%rcx), %ecx
        cmpl    $0x6c696166, %ecx       # "fail"
        je      fail
        cmpl    $0x776f6c73, %ecx       # "slow"
        jne     done

        movl    $20000, %ebp
1:      movq    %rbx, %rdi
        movq    %r12, %rsi
        call    *24(%rbx)               # is_expired(api, task)
        testb   %al, %al
        jnz     stopped
        movl    $35, %eax               # nanosleep
        leaq    nap(%rip), %rdi
        xorl    %esi, %esi
        syscall
        decl    %ebp
        jnz     1b

stopped:
        leaq    stopped_text(%rip), %rsi
        movl    $22, %eax               # CURFEW_FAILED
        jmp     failed
fail:
        leaq    fail_text(%rip), %rsi
        movl    $22, %eax
failed:
        movq    %r13, %rdx
        call    tell
done:
        addq    $56, %rsp
        popq    %r13
        popq    %r12
        popq    %rbp
        popq    %rbx
        ret
        .size   run, . - run

        .section .note.GNU-stack, "", @progbits
