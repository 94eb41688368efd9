import type { LineBuffer } from './lines';

/** Has all a handler printed written before Lambda gets its answer, or its error, and may freeze the environment. */
export function flushingLog<Event, Context, Answer>(
  lines: LineBuffer,
  handler: (event: Event, context: Context) => Promise<Answer>,
): (event: Event, context: Context) => Promise<Answer> {
  return async (event, context) => {
    try {
      return await handler(event, context);
    } finally {
      lines.flush();
    }
  };
}
