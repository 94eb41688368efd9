import type { NormalizedSchema } from '@smithy/core/schema';
import { AwsError } from '../../kernel/aws-error';
import { isObject } from '../../kernel/json';
import { DocumentReaders, finiteNumber } from '../protocols/document-reader';
import { ShapeError } from '../protocols/wire-protocol';
import type { ServiceModel } from '../service-model';

/** A call of a service that is not simulated. */
export interface ServiceCall<Input extends object = Readonly<Record<string, unknown>>> {
  /** The service as in host names, for example `dynamodb` or `states`. */
  readonly service: string;
  /** For example `GetItem`. */
  readonly operation: string;
  /**
   * The input in the SDK's shape. If the service's SDK client is not installed, the JSON document on the wire. Empty if
   * a forwarded request cannot be read without that client.
   */
  readonly input: Input;
  /** Undefined when the host has no Region. */
  readonly region: string | undefined;
  /** The name of the function that called. @default - a client outside AWS */
  readonly functionName: string | undefined;
  /** Virtual time, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * Returns an operation's output in the SDK's shape, or a promise of it. An error of `awsError`, or an exception of the
 * SDK's client, is what the caller receives.
 */
export type Answer<Input extends object = Readonly<Record<string, unknown>>> = (
  input: Input,
  call: ServiceCall<Input>,
) => unknown;

/** The errors that `awsError` creates. */
class ScriptedError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly status: number | undefined,
    readonly members: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

/**
 * An error of AWS, for `aws.service(…).answer(…)` to throw.
 *
 * @param name its name in the SDK, for example `ConditionalCheckFailedException`
 * @param status the HTTP status. @default - as the SDK's client says, or 400
 * @param members further members of the error, for example `CancellationReasons`
 */
export function awsError(
  name: string,
  message = '',
  status?: number,
  members: Readonly<Record<string, unknown>> = {},
): Error {
  return new ScriptedError(name, message, status, members);
}

/**
 * Converts what an answer threw to the error that its caller receives. Exceptions of the SDK's clients count as errors
 * of AWS, so that a test can throw `new ConditionalCheckFailedException(…)`.
 *
 * @returns undefined for any other error, which is a mistake in the answer itself
 */
export function awsErrorOf(thrown: unknown, { errors }: ServiceModel): AwsError | undefined {
  if (thrown instanceof AwsError) return thrown;
  if (thrown instanceof ScriptedError) {
    const { name, message, status = errors.get(name)?.httpStatus ?? 400, members } = thrown;
    return new AwsError(name, message, status, members);
  }
  if (!(thrown instanceof Error && '$fault' in thrown)) return undefined;
  const { name, message, stack: _stack, ...others } = thrown;
  const members = Object.entries(others).filter(([member]) => !member.startsWith('$'));
  const blamed = thrown.$fault === 'server' ? 500 : 400;
  return new AwsError(name, message, errors.get(name)?.httpStatus ?? blamed, Object.fromEntries(members));
}

/** Accepts what the SDK returns, and what JSON can hold: bytes as text, instants as ISO 8601 or seconds. */
const outputs = new DocumentReaders({
  blob: value => {
    if (typeof value === 'string') return Buffer.from(value);
    if (value instanceof Uint8Array) return value;
    throw new ShapeError('must be bytes or a text', value);
  },
  timestamp: value => {
    const instant = value instanceof Date ? value : new Date(typeof value === 'number' ? value * 1000 : String(value));
    if (!Number.isNaN(instant.getTime())) return instant;
    throw new ShapeError('must be a Date, ISO 8601 or seconds since the Unix epoch', value);
  },
  number: finiteNumber,
});

export function checkedOutput(schema: NormalizedSchema, output: unknown, what: string): unknown {
  if (schema.isDocumentSchema()) return plainJson(output ?? {});
  if (!isObject(output ?? {})) throw new TypeError(`${what} must return an object, got ${String(output)}`);
  const members = schema.isUnitSchema() ? [] : [...schema.structIterator()].map(([name]) => name);
  const unknown = Object.keys(output ?? {}).find(name => name !== '$metadata' && !members.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `${what} returns ${unknown}, which is no member of its output: there are ${members.join(', ') || 'none'}`,
    );
  }
  try {
    return outputs.of(schema)(output ?? {});
  } catch (error) {
    if (error instanceof ShapeError) throw new TypeError(`${what} returns a wrong shape: ${error.message}`);
    throw error;
  }
}

/** Writes instants and bytes as AWS JSON does, for services whose schemas are not known. */
function plainJson(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plainJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainJson(member)]));
}
