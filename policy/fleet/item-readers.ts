import { atLeast, isObject, type JsonObject, listOf, type MemberRule, must, nonEmptyText } from '../json-members';
import { formatProblem } from '../problem';
import type { DataKeyItem, EndpointItem, ItemKey, StateItem } from './fleet-items';

/** Reads an item of one kind. @throws Error that names its key, and each attribute that is wrong, without its value */
export type ItemReader<Item> = (item: JsonObject) => Item;

/** Attributes without a rule are optional, or those of a later version. */
function readerOf<Item extends ItemKey>(rules: { readonly [Name in keyof Item]?: MemberRule['check'] }) {
  const checks: readonly [name: string, check: MemberRule['check']][] = Object.entries(rules);
  return (item: JsonObject): Item => {
    const problems = checks.flatMap(([name, check]) => check(item[name], name));
    // The compiler cannot know what the rules have just checked.
    if (problems.length === 0) return item as unknown as Item;
    const wrong = problems.map(problem => formatProblem({ ...problem, value: typeof problem.value }));
    throw new Error(`the item ${item['pk']} ${item['sk']} was not written by the fleet: ${wrong.join('; ')}`);
  };
}

const name = { tenant: nonEmptyText, endpoint: nonEmptyText };

export const readEndpointItem: ItemReader<EndpointItem> = readerOf<EndpointItem>({
  ...name,
  url: nonEmptyText,
  types: listOf(nonEmptyText),
  secrets: listOf(must('must be a map', isObject)),
  version: atLeast(1),
  createdAtMs: atLeast(0),
});

export const readStateItem: ItemReader<StateItem> = readerOf<StateItem>({
  ...name,
  health: nonEmptyText,
  failures: atLeast(0),
  probes: atLeast(0),
  slots: listOf(atLeast(0)),
  notices: atLeast(0),
  version: atLeast(1),
});

export const readDataKeyItem: ItemReader<DataKeyItem> = readerOf<DataKeyItem>({
  ciphertext: must('must be binary', value => value instanceof Uint8Array),
});
