import { Server } from 'node:http'
import {
  boolean,
  type Checks,
  func,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  optionError,
  that,
  unknownName,
} from '../../../lib/options.js'
import type {
  RehearsalAction,
  RehearsalOptions,
  RehearsalPart,
  RehearsalRequestOf,
  RehearsalSignUp,
} from './contract.js'
import { isOwnAddress } from './wire.js'

export const maxRequests = 20_000
export const defaultTimeoutMs = 120_000
const maxTimeoutMs = 1_800_000

const path = that(
  "must be a path such as '/transfers', or a function (person) => path",
  (value) => typeof value === 'function' || (typeof value === 'string' && value.startsWith('/')),
)
const mount = that("must be a path such as '/two-factor'", (value) => String(value).startsWith('/'))
const fields = that(
  'must be an object of fields, such as { amount: 5 }',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one !== 'function'),
)
const fieldsOrFunction = that(
  'must be an object of fields, or a function (person, agent) => fields',
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
)
const paths = list(path, "must be an array such as ['/account']")
const state = (value: unknown, name: string) => {
  if (typeof value !== 'function' && !Array.isArray(value)) {
    throw optionError(
      `${name} must be an array of paths such as ['/account'], or a function (person) => value`,
    )
  }
  return typeof value === 'function' ? value : paths(value, name)
}

const request = {
  name: nonEmptyString(),
  method: that("must be an HTTP method such as 'POST'", (value) => /^[A-Z-]+$/.test(String(value))),
  path,
  body: fieldsOrFunction,
  type: oneOf('json', 'form', 'multipart'),
} satisfies Checks<RehearsalRequestOf>
const requestNames = ['name', 'path']

export const actionChecks = {
  ...request,
  changed: fields,
  mayChange: list(nonEmptyString('a field'), "must be an array such as ['remark']"),
  repeatable: boolean,
  stepUp: boolean,
  state,
} satisfies Checks<RehearsalAction>

const signUp = {
  path: mount,
  account: object(request, requestNames),
  newcomer: func('(index) => person'),
  nameField: nonEmptyString('a field of account'),
} satisfies Checks<RehearsalSignUp>

const parts = ['store', 'provider', 'session', 'page'] as const satisfies readonly RehearsalPart[]

export const planChecks = {
  app: that(
    'must be a listener, a server of node:http, or an address on this machine, such as http://127.0.0.1:3000',
    (value) => typeof value === 'function' || value instanceof Server || isOwnAddress(value),
  ),
  sandbox: that(
    'must be the result of startSandbox, its options, or an address on this machine',
    (value) =>
      isOwnAddress(value) || (typeof value === 'object' && value !== null && !(value instanceof URL)),
  ),
  person: func('(index) => person'),
  signIn: func('(agent, person) => promise'),
  actions: list(
    object(actionChecks, requestNames),
    "must be an array such as [{ name: 'transfer', path: '/transfers' }]",
  ),
  pages: paths,
  state,
  signOut: object(request, requestNames),
  changePassword: object(request, requestNames),
  signUp: object(signUp, ['path', 'account', 'newcomer']),
  account: mount,
  origins: list(
    that('must be an origin', (value) => URL.canParse(String(value))),
    "must be an array such as ['https://app.example.com']",
  ),
  path: mount,
  logs: func('() => text'),
  ignore: list(
    that("must be a method and a path, such as 'POST /newsletter'", (value) =>
      /^[A-Z]+ \S+$/.test(String(value)),
    ),
    "must be an array such as ['POST /newsletter']",
  ),
  own: list(oneOf(...parts), "must be an array such as ['store']"),
  all: boolean,
  only: list(nonEmptyString('the code of a row'), "must be an array such as ['changed']"),
  maxRequests: integer(100, maxRequests),
  timeoutMs: integer(1_000, maxTimeoutMs, ' (milliseconds)'),
} satisfies Checks<RehearsalOptions>

/** Refuses a plan without targets, whose rows would hold for every app, and an address with a path, which no row reads. */
export function checkMaterial(
  { app, actions = [], pages = [], only = [], path: ownPath = '/two-factor' }: RehearsalOptions,
  codes: readonly string[],
): void {
  const { pathname: prefix } = isOwnAddress(app) ? new URL(String(app)) : { pathname: '/' }
  if (prefix !== '/') {
    throw optionError(
      `rehearse: app has the path ${prefix}; remove it, and put ${prefix} into the paths of the plan, including path: '${prefix}${ownPath}'`,
    )
  }
  if (actions.length + pages.length === 0) {
    throw optionError(
      "rehearse: the plan has neither pages nor actions; add pages: ['/account'] or actions: [{ … }]",
    )
  }
  const unknown = only.find((code) => !codes.includes(code))
  if (unknown !== undefined) throw optionError(`rehearse: only: ${unknownName('row', unknown, codes)}`)
}
