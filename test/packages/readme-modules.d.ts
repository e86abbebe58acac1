// Packages that the documents name and this one does not install.
declare module '@opentelemetry/instrumentation-undici' {
  export class UndiciInstrumentation {
    constructor(config: {
      startSpanHook(request: { origin: string; path: string }): Record<string, string | undefined>
    })
  }
}

declare module 'express-rate-limit' {
  export function rateLimit(options: {
    windowMs: number
    limit: number
    ipv6Subnet: number
  }): import('express').RequestHandler
}
