import type { FunctionError } from '../protocol';

/** Where Lambda unpacks a function's code, and where its runtime lies. */
const TASK_ROOT = '/var/task';
const RUNTIME_FILE = '/var/runtime/index.mjs';

/** A position in this very file, which is the runtime here. */
const OUR_POSITIONS = new RegExp(`${escaped(__filename)}(:\\d+)*`, 'g');

/** Logs and traces as they read on AWS: no path of this machine, no line of ours. */
export function asOnLambda(text: string, folder: string): string {
  return text.replace(OUR_POSITIONS, RUNTIME_FILE).replaceAll(folder, TASK_ROOT);
}

/** An error of the Node.js runtime itself, by the name AWS gives it. */
export class RuntimeError extends Error {
  constructor(name: `Runtime.${string}`, message: string, stack = `${name}: ${message}`) {
    super(message);
    // Not enumerable, like every error's own members: a logged error repeats only what its author added.
    Object.defineProperties(this, { name: { value: name }, stack: { value: stack } });
  }
}

/** The error document of the Node.js runtime, for anything that can be thrown. */
export function functionError(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: textOf(thrown), trace: [] };
  return {
    errorType: String(thrown.name),
    errorMessage: String(thrown.message),
    trace: String(thrown.stack ?? '').split('\n'),
  };
}

/** A thrown thing as text; an object may well refuse to become one. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}

/** An error as the runtime writes it behind `Invoke Error`: its own members beside type, message and stack. */
export function loggedError(thrown: unknown): string {
  const error = thrown instanceof Error ? thrown : new Error(textOf(thrown));
  try {
    return JSON.stringify(error, (_, value) => (value instanceof Error ? withMembers(value) : value));
  } catch {
    return JSON.stringify(functionError(error));
  }
}

function withMembers(error: Error): object {
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  return { errorType: name, errorMessage: message, code, ...error, stack: stack?.split('\n') };
}

/** Runtimes log the first error among the arguments of a JSON line in members of its own. */
export function jsonError(error: Error): object {
  return {
    errorType: error.constructor?.name ?? 'UnknownError',
    errorMessage: error.message,
    stackTrace: error.stack?.split('\n') ?? [],
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
