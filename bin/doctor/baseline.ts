import { createHash } from 'node:crypto';
import { BadInput } from '../../account/errors';
import type { Finding } from '../../diagnosis/checks/finding';
import { isObject, parseObject } from '../../policy/json-members';
import type { Io } from '../shared/io';

const LENGTH = 16;

/**
 * What identifies a finding from one run to the next: its check and its resource. Its text, its severity and the other
 * resources it names change with the app.
 */
function identityOf({ id, resource: { arn, name, place } }: Finding): string {
  return JSON.stringify([id, place?.stack ?? '', name, arn]);
}

/**
 * Returns an id for each finding that stays the same while the check and the resource do. The second finding of a check
 * about a resource has its number in the id.
 */
export function fingerprints(findings: readonly Finding[]): ReadonlyMap<Finding, string> {
  const seen = new Map<string, number>();
  return new Map(
    findings.map(finding => {
      const identity = identityOf(finding);
      const count = (seen.get(identity) ?? 0) + 1;
      seen.set(identity, count);
      const text = count === 1 ? identity : `${identity} ${count}`;
      return [finding, createHash('sha256').update(text).digest('hex').slice(0, LENGTH)];
    }),
  );
}

const FORMAT = 'dead-letter-office/baseline';

/** A finding that is known and left out. Only the fingerprint identifies it; the rest is for readers. */
export interface BaselineEntry {
  readonly fingerprint: string;
  readonly id: string;
  readonly resource: string;
  /** `null` in an account. */
  readonly stack: string | null;
}

function entryOf(value: unknown): BaselineEntry | undefined {
  if (!isObject(value)) return undefined;
  const { fingerprint, id, resource, stack = null } = value;
  const texts = [fingerprint, id, resource];
  if (!texts.every(it => typeof it === 'string') || (stack !== null && typeof stack !== 'string')) return undefined;
  return { fingerprint: String(fingerprint), id: String(id), resource: String(resource), stack };
}

/**
 * Reads a baseline.
 */
export async function readBaseline(
  file: string,
  io: Pick<Io, 'readText' | 'exists'>,
): Promise<readonly BaselineEntry[]> {
  if (!(await io.exists(file))) {
    throw new BadInput([`the baseline ${file} does not exist: write it with --baseline ${file} --write-baseline`]);
  }
  const document = parseObject(await io.readText(file));
  const listed = document?.['findings'];
  if (document?.['format'] !== FORMAT || !Array.isArray(listed)) {
    throw new BadInput([`${file} must be a baseline of dlo doctor, a JSON object with the format "${FORMAT}"`]);
  }
  const entries = listed.map(entryOf);
  const wrong = entries.indexOf(undefined);
  if (wrong >= 0) {
    throw new BadInput([
      `findings[${wrong}] of ${file} must have a fingerprint, an id and a resource, all of them text`,
    ]);
  }
  return entries.flatMap(it => it ?? []);
}

/** Writes the baseline of findings, sorted, so that a change of it shows in a code review. */
export async function writeBaseline(
  file: string,
  findings: readonly Finding[],
  io: Pick<Io, 'writeText'>,
): Promise<void> {
  const entries = [...fingerprints(findings)].map(
    ([{ id, resource }, fingerprint]): BaselineEntry => ({
      fingerprint,
      id,
      resource: resource.name,
      stack: resource.place?.stack ?? null,
    }),
  );
  const keyOf = ({ stack, resource, id, fingerprint }: BaselineEntry) => [stack, resource, id, fingerprint].join('\0');
  entries.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  await io.writeText(file, `${JSON.stringify({ format: FORMAT, findings: entries }, undefined, 2)}\n`);
}

/** Findings without those of a baseline. */
export interface BeyondBaseline {
  readonly findings: readonly Finding[];
  /** How many findings are in the baseline. */
  readonly known: number;
  /** Entries of the baseline that were not found any more. */
  readonly gone: readonly BaselineEntry[];
}

/** @param stack the only stack whose findings are given @default - all */
export function beyondBaseline(
  findings: readonly Finding[],
  entries: readonly BaselineEntry[],
  stack?: string,
): BeyondBaseline {
  const known = new Set(entries.map(({ fingerprint }) => fingerprint));
  const found = fingerprints(findings);
  const left = findings.filter(it => !known.has(found.get(it) ?? ''));
  const there = new Set(found.values());
  const isExamined = (entry: BaselineEntry) => stack === undefined || entry.stack?.split('.')[0] === stack;
  const gone = entries.filter(it => !there.has(it.fingerprint) && isExamined(it));
  return { findings: left, known: findings.length - left.length, gone };
}

export function goneText(file: string, gone: readonly BaselineEntry[]): string[] {
  if (gone.length === 0) return [];
  const names = gone.map(({ id, resource }) => `${id} of ${resource}`).join(', ');
  const [is, it] = gone.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return [`the baseline ${file} has what ${is} no longer found: ${names}. --write-baseline removes ${it}`];
}
