# SPDX-License-Identifier: Apache-2.0
"""A server whose answers are files: NAME.json in the directory it is given.

{"status": 200, "headers": {...}, "body": "latin-1 text", "hold": bytes after which it waits until
the client has gone, "repeat": how often the body is sent}. With an ETag or Last-Modified among the
headers it answers 304 to whoever has that. The number of the port is its first line of output; each
request is one line of JSON in the file `requests`.
"""
import gzip
import http.server
import json
import os
import sys

directory = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open(os.path.join(directory, "requests"), "a") as log:
            headers = {name.lower(): value for name, value in self.headers.items()}
            log.write(json.dumps({"path": self.path, "headers": headers}) + "\n")
        try:
            with open(os.path.join(directory, self.path.strip("/") + ".json")) as file:
                answer = json.load(file)
        except FileNotFoundError:
            answer = {"status": 404, "body": "<html>no such page</html>"}
        headers = answer.get("headers", {})
        body = answer.get("body", "").encode("latin-1") * answer.get("repeat", 1)
        if answer.get("gzip"):
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        status = answer.get("status", 200)
        asked = [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")]
        for name, condition in asked:
            if name in headers and self.headers.get(condition) == headers[name]:
                status, body = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if not answer.get("unannounced"):
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        hold = answer.get("hold")
        try:
            self.wfile.write(body if hold is None else body[:hold])
            self.wfile.flush()
            if hold is not None:
                self.connection.recv(1)  # returns when the client has gone
        except OSError:
            pass

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
