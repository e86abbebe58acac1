import type { TracingChannel } from 'node:diagnostics_channel'

/**
 * Runs one operation under a tracing channel of `node:diagnostics_channel`. What `run` adds to the context
 * is there when the operation ends; its result is not, because it may hold what no tracer should see.
 * Without a subscriber no context is made.
 */
export function traced<Context extends object, Result>(
  channel: TracingChannel<unknown, Context>,
  contextOf: () => Context,
  run: (context?: Context) => Result,
): Result {
  // Small enough to be inlined: what is not traced then pays for no closure either.
  return channel.hasSubscribers ? observed(channel, contextOf(), run) : run()
}

function observed<Context extends object, Result>(
  { start, end, asyncStart, asyncEnd, error }: TracingChannel<unknown, Context>,
  context: Context,
  run: (context: Context) => Result,
): Result {
  const failed = (failure: unknown) => error.publish(Object.assign(context, { error: failure }))
  const later = () => {
    asyncStart.publish(context)
    asyncEnd.publish(context)
  }
  // Through its stores, so that what runs inside sees the span as its parent.
  return start.runStores(context, () => {
    try {
      const result = run(context)
      if (result instanceof Promise) {
        result.then(later, (failure: unknown) => {
          failed(failure)
          later()
        })
      }
      return result
    } catch (failure) {
      failed(failure)
      throw failure
    } finally {
      end.publish(context)
    }
  })
}
