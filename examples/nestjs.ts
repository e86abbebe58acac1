// NestJS on its Express platform: the guard of the package as a guard of Nest. In the source, after
// `npm run build`: node build/examples/nestjs.js
import 'reflect-metadata'
import * as nest from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { Request, RequestHandler } from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    pendingUserId?: string
    userId?: string
  }
}

const users = new Map([['ana', { password: 'sesame', phone: '+57 300 123 4567' }]])

// Replaces the provider. With a real account, use its baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: 'Acme',
  secret: secret('TWO_FACTOR_SECRET'),
  countries: ['CO'],
  subject: (req) => req.session.pendingUserId ?? req.session.userId,
  phone: (_req, subject) => users.get(subject)?.phone,
  onVerified: (req, _res, { subject }) => {
    req.session.userId = subject
    delete req.session.pendingUserId
  },
})

/** Turns Express middleware into a guard of Nest. If it refuses, it has already responded. */
function guardOf(middleware: RequestHandler): nest.CanActivate {
  return {
    canActivate(context: nest.ExecutionContext) {
      const http = context.switchToHttp()
      const res = http.getResponse()
      return new Promise((resolve, reject) => {
        res.once('close', () => resolve(false))
        middleware(http.getRequest(), res, (error?: unknown) => (error ? reject(error) : resolve(true)))
      })
    },
  }
}

const checkPassword: RequestHandler = (req, res, next) => {
  const { name, password } = req.body ?? {}
  if (users.get(name)?.password !== password || password === undefined) {
    res.status(401).send('That name and password do not belong together.')
    return
  }
  req.session.pendingUserId = name
  next()
}

@nest.Controller()
class AppController {
  /** Never called, because the last guard has sent the code. */
  @nest.Post('login')
  @nest.UseGuards(guardOf(checkPassword), guardOf(tf.start({ purpose: 'login' })))
  login(): void {}

  @nest.Get('account')
  @nest.UseGuards(guardOf(tf.requireTwoFactor()))
  account(@nest.Req() req: Request): string {
    return `Signed in as ${req.session.userId}.`
  }
}

@nest.Module({ controllers: [AppController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] })
const cookie = { sameSite: 'lax' } as const
app.use(session({ secret: secret('SESSION_SECRET'), resave: false, saveUninitialized: false, cookie }))
app.use('/two-factor', tf.routes())

const port = process.env.PORT ?? 3000
await app.listen(port)
console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
