import type { FunctionError } from '../environment/protocol';

/** The folders of a function's code and of the runtime on Lambda. */
const TASK_ROOT = '/var/task';
const RUNTIME_FILE = '/var/runtime/index.mjs';

/** A position in this bundled file, which contains the runtime. */
const WORKER_POSITIONS = new RegExp(`${escaped(__filename)}(:\\d+)*`, 'g');

/** Replaces paths of this machine and positions in our code with those that Lambda shows. */
export function asOnLambda(text: string, folder: string): string {
  return text.replace(WORKER_POSITIONS, RUNTIME_FILE).replaceAll(folder, TASK_ROOT);
}

/** An error of the Node.js runtime itself, with AWS's name. */
export class RuntimeError extends Error {
  constructor(name: `Runtime.${string}`, message: string, stack = `${name}: ${message}`) {
    super(message);
    // Not enumerable, as in other errors, because a logged error shows the members that its author added.
    Object.defineProperties(this, { name: { value: name }, stack: { value: stack } });
  }
}

/** Builds the error document of the Node.js runtime for any thrown value. */
export function functionError(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: textOf(thrown), trace: [] };
  return {
    errorType: String(thrown.name),
    errorMessage: String(thrown.message),
    trace: String(thrown.stack ?? '').split('\n'),
  };
}

/** Converts a thrown value to text. An object may fail to convert. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}

/** Formats an error as the runtime logs it after `Invoke Error`, with its additional members. */
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

/** Formats an error for a JSON log line. Runtimes log the first error among the arguments in separate members. */
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
