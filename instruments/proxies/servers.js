// nginx and Apache of the system, each with a configuration of its own in a temporary folder.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts nginx; `target` ends with the path that replaces that of the location. */
export async function startNginx(location, target) {
  const port = await freePort()
  const config = (folder) => `daemon off; worker_processes 1; error_log stderr emerg; pid ${folder}/pid;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location ${location} {
      proxy_pass ${target};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}`
  return start(port, config, (file, folder) => ['/usr/sbin/nginx', ['-c', file, '-p', folder]])
}

/** Starts Apache, which removes the location. */
export async function startApache(location, target) {
  const port = await freePort()
  const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http']
  const config = (folder) => `ServerRoot ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/log
ServerName localhost
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ProxyPreserveHost On
ProxyPass ${location} ${target}
`
  return start(port, config, (file) => ['/usr/sbin/apache2', ['-f', file, '-D', 'FOREGROUND']])
}

async function start(port, config, command) {
  const folder = mkdtempSync(join(tmpdir(), 'two-factor-proxy-'))
  const file = join(folder, 'config')
  writeFileSync(file, config(folder))
  const [program, args] = command(file, folder)
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = () => server.kill()
  process.once('exit', stop)
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isUp) break
    await sleep(100)
  }
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async close() {
      process.off('exit', stop)
      stop()
      await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
