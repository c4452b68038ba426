"""nginx in front of the admin listener, under its own path."""

from lab.processes import Process, free_port

CONFIGURATION = """
daemon off; pid {folder}/front.pid; error_log {folder}/front.log; worker_processes 1;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/front-body; proxy_temp_path {folder}/front-proxy;
  fastcgi_temp_path {folder}/front-a; uwsgi_temp_path {folder}/front-b;
  scgi_temp_path {folder}/front-c;
  server {{
    listen 127.0.0.1:{port};
    location {path} {{
      proxy_pass http://127.0.0.1:{admin}/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


class Front(Process):
    def __init__(self, world, path):
        folder, port = world.sandbox.folder, free_port()
        file = f"{folder}/front.conf"
        with open(file, "w") as configuration:
            configuration.write(
                CONFIGURATION.format(folder=folder, port=port, path=path, admin=world.server.admin)
            )
        super().__init__(["/usr/sbin/nginx", "-c", file], f"{folder}/front.out")
        self.address = f"http://127.0.0.1:{port}{path}"
        self.await_ports(port)
