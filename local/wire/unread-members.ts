import { isObject } from '../kernel/json';
import TABLE from './unread-members.json';

/**
 * The members of requests that no action reads, by service and action. Those with an effect on AWS are `refused`, unless they have one
 * of the values listed or none, so that nothing is ignored silently. `refusedInCode` are members that the action itself refuses, and
 * `withoutEffect` those that would change nothing here. `[]` in a path stands for each item of a list or map.
 */
interface ServiceRow {
  readonly refused?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly refusedInCode?: Readonly<Record<string, readonly string[]>>;
  readonly withoutEffect?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const UNREAD_MEMBERS: Readonly<Record<string, ServiceRow>> = TABLE;

interface RefusedMember {
  readonly path: readonly string[];
  /** Values that say what the embedded AWS does anyway. */
  readonly harmless: readonly unknown[];
}

const refusedBy = new Map(
  Object.entries(UNREAD_MEMBERS).map(([service, { refused = {} }]) => [
    service,
    new Map(Object.entries(refused).map(([action, members]) => [action, Object.entries(members).map(refusedMember)])),
  ]),
);

function refusedMember([path, harmless]: [string, readonly string[]]): RefusedMember {
  return { path: path.replaceAll('[]', '.[]').split('.'), harmless };
}

/** The first member of a request that the action would ignore, though AWS does something with it. */
export function unreadMember(service: string, action: string, input: unknown): string | undefined {
  const members = refusedBy.get(service)?.get(action);
  const found = members?.find(({ path, harmless }) =>
    valuesAt(input, path).some(value => !isNothing(value) && !harmless.includes(value)),
  );
  return found?.path.join('.').replaceAll('.[]', '[]');
}

function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return [value];
  if (!isObject(value) && !Array.isArray(value)) return [];
  if (name === '[]') return Object.values(value).flatMap(item => valuesAt(item, rest));
  return isObject(value) && Object.hasOwn(value, name) ? valuesAt(value[name], rest) : [];
}

/** A value that asks for nothing. */
function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return [undefined, null, false, '', 0].some(nothing => nothing === value);
}
