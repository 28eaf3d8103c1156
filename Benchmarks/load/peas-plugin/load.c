/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same for libpeas: an extension, in a type that is registered when the plugin is loaded.
 * prepare.py writes each copy's number in place of the 000 in the type's name, too.
 */
#include <libpeas/peas.h>

typedef struct {
    PeasExtensionBase parent;
} Load000;

typedef struct {
    PeasExtensionBaseClass parent;
} Load000Class;

static void load000_activatable(PeasActivatableInterface *interface);

G_DEFINE_DYNAMIC_TYPE_EXTENDED(Load000, load000, PEAS_TYPE_EXTENSION_BASE, 0,
                               G_IMPLEMENT_INTERFACE_DYNAMIC(PEAS_TYPE_ACTIVATABLE,
                                                             load000_activatable))

enum { PROPERTY_OBJECT = 1 };

/* An activatable must have this property; it is not read here. */
static void set_property(GObject *self, guint property, const GValue *value, GParamSpec *spec) {
    (void)self, (void)property, (void)value, (void)spec;
}

static void get_property(GObject *self, guint property, GValue *value, GParamSpec *spec) {
    (void)self, (void)property, (void)value, (void)spec;
}

static void nothing(PeasActivatable *self) { (void)self; }

static void load000_activatable(PeasActivatableInterface *interface) {
    interface->activate = nothing;
    interface->deactivate = nothing;
}

static void load000_init(Load000 *self) { (void)self; }

static void load000_class_init(Load000Class *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    g_object_class_override_property(object_class, PROPERTY_OBJECT, "object");
}

static void load000_class_finalize(Load000Class *class) { (void)class; }

G_MODULE_EXPORT void peas_register_types(PeasObjectModule *module) {
    load000_register_type(G_TYPE_MODULE(module));
    peas_object_module_register_extension_type(module, PEAS_TYPE_ACTIVATABLE,
                                               load000_get_type());
}
