import type { Express as App, RequestHandler } from 'express'
import type * as Package from 'express-two-factor'
import type * as Browser from 'express-two-factor/browser'
import 'express-session'

// What the code blocks of the documents take for granted: the reader's app, or an import shown further up.
declare global {
  const app: App
  const express: typeof import('express')
  const randomUUID: typeof import('node:crypto').randomUUID
  const session: typeof import('express-session')
  const { twoFactor, createClient, providerCodes, tokenSession }: typeof Package
  const ProviderError: typeof Package.ProviderError
  type ProviderError = Package.ProviderError
  type SessionAdapter = Package.SessionAdapter
  const fetchWithCode: typeof Browser.fetchWithCode
  const showMyDialog: Browser.OnChallenge
  const body: FormData
  const tf: Package.TwoFactor
  const provider: Package.ProviderClient
  const twilio: Package.CodeProvider
  const options: Package.TwoFactorOptions
  const [baseUrl, client, key]: string[] & [string, string, string]
  const users: {
    get(
      subject: string,
    ):
      | { phone?: string | string[]; recovery?: Set<string>; app?: string; mustAddFactor?: boolean }
      | undefined
    set(subject: string, user: { password: string; phone: string }): void
    numbersOf(subject: string): Promise<string[]>
    saveNumbers(subject: string, numbers: readonly string[], from: readonly string[]): Promise<boolean>
    noteUse(subject: string, way: string | undefined, at: number): Promise<void>
    [Symbol.iterator](): Iterator<[name: string, user: { phone?: string | string[] }]>
  }
  const db: import('pg').Pool
  const counters: {
    incr(key: string): Promise<number>
    expire(key: string, seconds: number): Promise<unknown>
  }
  const signedIn: RequestHandler
  const password: string
  const askForCode: (challenge: object) => Promise<string>
  /** Helpers of the reader's tests. */
  const test: (title: string, run: () => Promise<void>) => void
  const people: { create(user: object): { email: string; password: string; phone: string } }
  const tell: (req: import('express').Request, kind: string, numbers: readonly string[]) => Promise<void>
  const ejs: { renderFile(file: string, data: object): Promise<string> }
  const captchaSolved: (req: import('express').Request) => boolean
  const [account, confirmed, settings, transfer]: [
    RequestHandler,
    RequestHandler,
    RequestHandler,
    RequestHandler,
  ]
  /** An app with several tenants. */
  const tenants: readonly {
    id: string
    host: string
    name: string
    providerAccount: Parameters<typeof Package.createClient>[0]
    approvedStatuses: string[]
    sessionSecret: string
  }[]
  const sessionOptions: Omit<import('express-session').SessionOptions, 'secret'>
  const appRoutes: (tf: Package.TwoFactor) => RequestHandler
  const phoneOf: (tenant: string, subject: string) => string | undefined
  const isAdmin: (subject: string) => boolean
  const mayLackFactor: (subject: string) => boolean
  const csrfProtection: RequestHandler

  namespace Express {
    interface Request {
      auth?: { payload: { sid: string } }
    }
  }
}

declare module 'express-session' {
  interface SessionData {
    pendingUserId?: string
    userId?: string
    passedOldCheck?: boolean
    sid?: string
    sentTo?: Record<string, string>
  }
}
