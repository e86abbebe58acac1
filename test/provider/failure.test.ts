import { describe, expect, test } from 'vitest'
import { type FailureReason, reasonOf } from '../../src/provider/failure.js'
import { lostError, refusedError } from '../../src/provider/provider-error.js'

describe('the code behind a failure has one reason', () => {
  test.each<[FailureReason, string[]]>([
    ['timeout', ['deadline', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']],
    ['aborted', ['aborted', 'UND_ERR_ABORTED']],
    ['oversize', ['oversize', 'UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']],
    ['closed', ['closed', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']],
    ['dispatcher', ['UND_ERR_INVALID_ARG']],
    ['dns', ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']],
    ['refused', ['ECONNREFUSED']],
    ['unreachable', ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL']],
    ['tls', ['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']],
    [
      'tls',
      ['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'SELF_SIGNED_CERT_IN_CHAIN'],
    ],
    ['reset', ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']],
    ['protocol', ['HPE_INVALID_CONSTANT', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']],
    ['connection', ['connection failed', 'EMFILE', '']],
  ])('%s: %j', (reason, codes) => {
    for (const code of codes) expect([code, reasonOf(code)]).toEqual([code, reason])
  })

  test('a longer code that contains a known one is unknown', () => {
    const known =
      'deadline ETIMEDOUT aborted oversize closed UND_ERR_CLOSED UND_ERR_DESTROYED UND_ERR_INVALID_ARG ' +
      'UND_ERR_NOT_SUPPORTED ENOTFOUND ENODATA ECONNREFUSED EHOSTUNREACH ENETDOWN EADDRNOTAVAIL EPROTO ' +
      'ECONNRESET ECONNABORTED EPIPE UND_ERR_SOCKET'
    const prefixes = 'UND_ERR_ABORT EAI_ ERR_TLS_ ERR_SSL_ SELF_SIGNED UNABLE_TO HPE_ UND_ERR_INFO'
    const strange = [
      ...known.split(' ').flatMap((code) => [`X${code}`, `${code}X`]),
      ...prefixes.split(' ').map((prefix) => `X${prefix}X`),
    ]
    expect(strange.filter((code) => reasonOf(code) !== 'connection')).toEqual([])
  })
})

describe('a request that never left comes with what to do about it', () => {
  test.each([
    ['ENOTFOUND', 'the host name in baseUrl, and the DNS'],
    ['ECONNREFUSED', 'check host and port'],
    ['CERT_HAS_EXPIRED', 'NODE_EXTRA_CA_CERTS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'Check host and port in baseUrl (the sandbox uses http)'],
    ['UND_ERR_CONNECT_TIMEOUT', 'Check baseUrl, the firewall and the proxy settings'],
    ['closed', 'create another client'],
    ['aborted', 'The signal of the request was already aborted'],
    ['EMFILE', 'then repeat it'],
  ])('%s: %s', (cause, advice) => {
    const { message } = lostError('sendSms', { delivery: 'not-sent', cause })
    expect(message).toContain(`sendSms: no connection (${cause}). Nothing was sent. `)
    expect(message).toContain(advice)
  })

  test('and an unsendable request reports it, from any client', () => {
    const broken = { delivery: 'not-sent', cause: 'broken' } as const
    expect(lostError('sendSms', broken)).toMatchObject({ reason: 'dispatcher' })
    expect(lostError('sendSms', broken).message).toContain('The HTTP client undici cannot send')
    expect(lostError('sendSms', broken, true).advice).toContain('pass a dispatcher of undici 7')
  })

  test('and one whose answer is lost with a warning: it is a repetition that costs', () => {
    const lost = { delivery: 'unknown', cause: 'deadline', httpStatus: 200 } as const
    const { message, code } = lostError('sendSms', lost)
    expect(message).toBe(
      'sendSms: the response was lost (deadline), HTTP 200. The provider may have acted on the request: a repeated send may arrive twice.',
    )
    // Not delivery_failed: the message may be on its way.
    expect(code).toBe('provider_unavailable')
  })

  test('and a check, which sends nothing, without a word of sends', () => {
    const lost = lostError('verifyCode', { delivery: 'unknown', cause: 'deadline' })
    const answer = { delivery: 'answered', headers: {}, text: 'Bad gateway', httpStatus: 502 } as const
    expect([lost.advice, refusedError('verifyCode', answer, undefined, '').advice]).toEqual([
      'The provider may have acted on the request.',
      'The provider or a gateway in front of it is failing.',
    ])
  })
})
