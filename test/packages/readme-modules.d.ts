// Packages that the README names and this one does not install.
declare module '@opentelemetry/instrumentation-undici' {
  export class UndiciInstrumentation {
    constructor(config: {
      startSpanHook(request: { origin: string; path: string }): Record<string, string | undefined>
    })
  }
}
