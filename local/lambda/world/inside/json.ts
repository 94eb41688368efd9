/** Where V8 says that a text stops being JSON; from version 11.4 on, node 22's among them, the line and column follow. */
const ENDS_AT_POSITION = / at position (\d+)$/;

/**
 * Makes `JSON.parse` word its errors as nodejs22.x does, whatever release of node this is: they end up in logs, traces and dead
 * letters.
 */
export function installJson(): void {
  const { parse: parseHere } = JSON;
  // A method, so that it has the name and the two parameters of the one it stands for.
  const { parse }: Pick<typeof JSON, 'parse'> = {
    parse(text, reviver) {
      try {
        return parseHere(text, reviver);
      } catch (error) {
        throw error instanceof SyntaxError ? worded(error, String(text), parse) : error;
      }
    },
  };
  JSON.parse = parse;
}

/** @param asked whose frame, and all above it, stays out of the stack: there is V8's own in its place */
function worded(error: SyntaxError, text: string, asked: (text: string) => unknown): SyntaxError {
  const position = ENDS_AT_POSITION.exec(error.message)?.[1];
  if (position !== undefined) error.message += ` (${lineAndColumn(text, Number(position))})`;
  Error.captureStackTrace(error, asked);
  const head = `${error.name}: ${error.message}\n`;
  if (error.stack?.startsWith(head))
    error.stack = `${head}    at JSON.parse (<anonymous>)\n${error.stack.slice(head.length)}`;
  return error;
}

function lineAndColumn(text: string, position: number): string {
  const lines = text.slice(0, position).split(/\r\n|\r|\n/);
  return `line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
