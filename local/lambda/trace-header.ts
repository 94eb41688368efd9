import { createHash } from 'node:crypto';
import type { Random } from '../kernel/random';

/**
 * The header by which X-Ray follows a request and Lambda detects loops:
 * `Root=…;Parent=…;Sampled=0;Lineage=1:fc3b4ff1:0`. SDKs add it to every call a function makes, and SQS and SNS pass it
 * on.
 *
 * **Assumption LAMBDA-3:** AWS does not publish the format of `Lineage`. Functions see one entry, as above: a number, a
 * hash of the function, and how often the chain of requests had already invoked it. Here a chain through several
 * functions has one entry per function, separated by `|` as in older X-Ray examples, because Lambda counts the
 * invocations of each function.
 *
 * @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
const ENTRY = /^\d+:([0-9a-f]{8}):(\d+)$/;

/** Returns the eight hexadecimal digits that stand for a function in a lineage. */
export function lineageId(functionArn: string): string {
  return createHash('sha256').update(functionArn).digest('hex').slice(0, 8);
}

/** Returns how often the chain of requests that led here has invoked a function. */
export function invocationsSoFar(header: string | undefined, id: string): number {
  const before = lineageOf(header).get(id);
  return before === undefined ? 0 : before + 1;
}

/**
 * Returns the header of an invocation caused by a request with the header `cause`. Without a cause it starts a new
 * trace.
 */
export function headerOfInvocation(cause: string | undefined, id: string, random: Random): string {
  const root = memberOf(cause, 'Root') ?? `1-${random.hex(8)}-${random.hex(24)}`;
  const sampled = memberOf(cause, 'Sampled') ?? '0';
  const lineage = lineageOf(cause).set(id, invocationsSoFar(cause, id));
  return `Root=${root};Parent=${random.hex(16)};Sampled=${sampled};Lineage=${lineageText(lineage)}`;
}

/**
 * Returns one header for a batch of messages: the `Root` of the first that has one and, for each function, the highest number of
 * invocations in the `Lineage` of any message.
 */
export function headerOfBatch(headers: readonly (string | undefined)[]): string | undefined {
  const first = headers.find(header => memberOf(header, 'Root'));
  if (!first) return undefined;
  const longest = new Map<string, number>();
  for (const header of headers) {
    for (const [id, before] of lineageOf(header)) longest.set(id, Math.max(before, longest.get(id) ?? 0));
  }
  const members = [`Root=${memberOf(first, 'Root')}`, `Sampled=${memberOf(first, 'Sampled') ?? '0'}`];
  return longest.size === 0 ? members.join(';') : `${members.join(';')};Lineage=${lineageText(longest)}`;
}

function memberOf(header: string | undefined, name: string): string | undefined {
  const member = header?.split(';').find(text => text.startsWith(`${name}=`));
  return member?.slice(name.length + 1);
}

/**
 * Returns how often each function of the chain had been invoked before its last invocation. An unreadable lineage
 * counts as empty.
 */
function lineageOf(header: string | undefined): Map<string, number> {
  const lineage = new Map<string, number>();
  for (const entry of memberOf(header, 'Lineage')?.split('|') ?? []) {
    const [, id, before] = ENTRY.exec(entry) ?? [];
    if (id) lineage.set(id, Number(before));
  }
  return lineage;
}

function lineageText(lineage: ReadonlyMap<string, number>): string {
  return [...lineage].map(([id, before]) => `1:${id}:${before}`).join('|');
}
