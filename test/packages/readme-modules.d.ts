// Packages that the documents name and this one does not install.
declare module '@opentelemetry/instrumentation-undici' {
  export class UndiciInstrumentation {
    constructor(config: {
      startSpanHook(request: { origin: string; path: string }): Record<string, string | undefined>
    })
  }
}
