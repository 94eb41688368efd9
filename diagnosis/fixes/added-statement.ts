import { isObject } from '../../policy/members';
import type { PolicyDocument } from '../../template/access/policy-document';
import { listed } from '../../template/access/texts';

/** A statement of a policy, as JSON has it. */
export type Statement = Readonly<Record<string, unknown>>;

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_version.html */
const VERSION = '2012-10-17';

/** A name of letters and digits, which every kind of policy takes. */
function statementId(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '');
}

/** The first of a name, the name with 2, with 3, that no statement has. */
export function freeId(wanted: string, taken: readonly unknown[]): string {
  const ids = new Set(taken.map(statement => (isObject(statement) ? statement['Sid'] : undefined)));
  let id = wanted;
  for (let next = 2; ids.has(id); next += 1) id = `${wanted}${next}`;
  return id;
}

/** A policy with one more statement, as JSON, and the statement: what is there stays, and no two have the same name. */
export function addedStatement(
  document: PolicyDocument | undefined,
  name: string,
  statement: Statement,
): { readonly statement: Statement; readonly policy: string } {
  const there = document ? listed(document.Statement) : [];
  const added = { Sid: freeId(statementId(name), there), ...statement };
  return { statement: added, policy: JSON.stringify({ Version: VERSION, ...document, Statement: [...there, added] }) };
}
