import { type DeployCheck, deployCheck } from '../../../local';
import { isObject, type JsonObject } from '../../../local/kernel/json';
import { assemblyOfTemplates } from '../../support/assembly';
import { base, changes } from './changes.json';

/** One change of an app, as merge patches (RFC 7396): `old` is what the old version has besides the base, `new` what changes then. */
interface Change {
  readonly name: string;
  readonly old?: object;
  readonly new: object;
  readonly verdict: DeployCheck['verdict'];
  /** Whether AWS rolls it back. */
  readonly fails?: boolean;
  /** `RECEIVER:KIND`. */
  readonly kinds: readonly string[];
  /** The gaps that make the verdict unknown. */
  readonly unknown: readonly string[];
}

function patched(value: unknown, patch: object): JsonObject {
  const result: Record<string, unknown> = { ...(isObject(value) ? value : {}) };
  for (const [name, member] of Object.entries(patch)) {
    if (member === null) delete result[name];
    else result[name] = isObject(member) ? patched(result[name], member) : member;
  }
  return result;
}

const assembly = (Resources: JsonObject) => assemblyOfTemplates({ shop: { Resources } });

test.each(changes as readonly Change[])('$name', async ({ old = {}, new: change, ...expected }) => {
  const before = patched(base, old);
  const result = await deployCheck(assembly(before), assembly(patched(before, change)));
  const { verdict, failure, receivers, notFollowed } = result;
  const kinds = receivers.flatMap(({ receiver, changes: all }) => all.map(({ kind }) => `${receiver}:${kind}`));
  const unknown = notFollowed.filter(({ isOnTheWay }) => isOnTheWay).map(({ name }) => name);
  const fails = failure === undefined ? {} : { fails: true };
  const { name: _, ...wanted } = { ...expected };
  expect({ verdict, ...fails, kinds: kinds.sort(), unknown: [...new Set(unknown)] }).toEqual(wanted);
});
