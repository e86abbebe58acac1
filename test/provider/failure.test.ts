import { describe, expect, test } from 'vitest'
import { type FailureReason, reasonOf } from '../../src/provider/failure.js'

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
})
