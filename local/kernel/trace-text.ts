import { nameInArn } from '../../policy/arn';
import { isoInstant } from './clock';

/** A trace event in parts for people: names and short ids instead of ARNs. */
export interface EventText {
  /** For example `2026-01-01 00:00:00.000`. */
  readonly at: string;
  readonly type: string;
  /** The members of the event: `queue=Orders message=1b9d6bcd`. */
  readonly facts: string;
}

/** Long enough to distinguish ids. */
const ID_LENGTH = 8;
const LONGEST_VALUE = 120;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const PLAIN = /^[^\s"=]+$/;

/** @param event a traced event */
export function eventText(event: { readonly type: string; readonly atMs: number; readonly seq: number }): EventText {
  const { atMs, type, seq: _, ...about } = event;
  const facts = Object.entries(about).flatMap(([name, value]) => (isInArn(name, about) ? [] : fact(name, value)));
  return { at: isoInstant(atMs).slice(0, -1).replace('T', ' '), type, facts: facts.join(' ') };
}

/** Whether the event also has the name in an ARN, as `alarmName` in `alarmArn`. */
function isInArn(name: string, about: object): boolean {
  return name.endsWith('Name') && name.replace(/Name$/, 'Arn') in about;
}

function fact(name: string, value: unknown): readonly string[] {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([member, inner]) => fact(member, inner));
  }
  const values = Array.isArray(value) ? value.map(shown).join(',') : shown(value);
  return [`${name.replace(/(?:Arn|Id)(s?)$/, '$1')}=${values}`];
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const name = text.startsWith('arn:') ? nameInArn(text) : text;
  if (ID.test(name)) return name.slice(0, ID_LENGTH);
  if (name !== text) return name;
  const short = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
  return PLAIN.test(short) ? short : JSON.stringify(short);
}
