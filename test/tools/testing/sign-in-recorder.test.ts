import type { IncomingHttpHeaders } from 'node:http'
import express from 'express'
import { expect, it } from 'vitest'
import { recordSignIn } from '../../../src/tools/testing/rehearsal/sign-in-recorder.js'
import { listening } from '../../listening.js'
import { parse } from './bank.js'

it('writes requests that change something or receive a cookie, and passes on all headers except those for the connection', async () => {
  const seen: IncomingHttpHeaders[] = []
  const app = express()
  app.use((req, _res, next) => {
    seen.push(req.headers)
    next()
  })
  app.get('/', (_req, res) => void res.cookie('visit', '1').send('Welcome'))
  app.get('/help', (_req, res) => void res.send('Call us'))
  app.post('/login', parse, (_req, res) => res.redirect(303, '/two-factor'))
  app.get('/two-factor', (_req, res) => void res.send('Your code'))
  const { origin, close } = await listening(app)
  let address = ''
  const recorded = recordSignIn(origin, '/two-factor', (own) => {
    address = own
  })
  await expect.poll(() => address).not.toBe('')

  const send = (path: string, init: RequestInit = {}) =>
    fetch(address + path, { redirect: 'manual', ...init })
  const forwarded = { 'x-forwarded-host': 'acme.example', 'upgrade-insecure-requests': '1' }
  await send('/', { headers: { accept: 'text/html', origin: address, ...forwarded } })
  await send('/help')
  const form = new URLSearchParams({ "owner's name": 'Ana', pin: '1234' })
  await send('/login', { method: 'POST', body: form })
  const json = { 'content-type': 'application/json' }
  await send('/login', { method: 'POST', body: '{"name":"Ana"}', headers: json })
  await send('/two-factor')

  expect(await recorded).toBe(
    [
      'signIn: async (agent, person) => {',
      "  await agent.send({ method: 'GET', path: '/', headers: { accept: 'text/html' } })",
      "  await agent.send({ method: 'POST', path: '/login', body: new URLSearchParams({ 'owner\\'s name': person['owner\\'s name'], 'pin': person['pin'] }) })",
      "  await agent.send({ method: 'POST', path: '/login', body: { 'name': person['name'] } })",
      '},',
    ].join('\n'),
  )
  expect(seen[0]).toMatchObject({ ...forwarded, origin, host: new URL(origin).host })
  expect(seen[0]).not.toHaveProperty('accept-encoding')
  await close()
})

it('proxies an app of this machine, and ends if nothing answers there', async () => {
  await expect(recordSignIn('http://acme.example', '/two-factor', () => {})).rejects.toThrow(
    'rehearse: http://acme.example must be an address on this machine',
  )
  const recorded = recordSignIn('http://127.0.0.1:1', '/two-factor', (address) => {
    fetch(address).catch(() => {})
  })
  await expect(recorded).rejects.toThrow('nothing listens at http://127.0.0.1:1')
})
