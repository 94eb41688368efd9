import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { warn } from '../checks';
import type { WarningId } from '../warnings';
import { statementText } from './statement-text';

/** A policy that this app would write a statement into, and what happens where nobody does. */
export interface Unwritable {
  /** As in `queue`: the noun, and half of the warning's id. */
  readonly kind: 'queue' | 'key' | 'topic' | 'function';
  readonly path: string;
  /** What happens without the statement, as in `its dead letters are lost`. */
  readonly otherwise: string;
  /** How the statement gets there, where that is not plain. */
  readonly addedBy?: string;
}

/** A statement that somebody else must add, and why: one sentence for every policy that cannot be written from here. */
export function manualPolicyText(scope: IConstruct, unwritable: Unwritable, statement: PolicyStatement): string {
  const { kind, path, otherwise, addedBy } = unwritable;
  const which = addedBy ? `, which ${addedBy} adds, ` : ' ';
  return `The policy of ${kind} ${path} cannot be written from here. Without this statement${which}${otherwise}: ${statementText(scope, statement)}`;
}

/** Says as a warning what to add by hand. */
export function warnOfManualPolicy(
  scope: IConstruct,
  id: WarningId,
  unwritable: Unwritable,
  statement: PolicyStatement,
): void {
  warn(scope, id, manualPolicyText(scope, unwritable, statement));
}

/** Fails the synthesis with what to add by hand, where nobody has said that it is there. */
export function refuseManualPolicy(scope: IConstruct, unwritable: Unwritable, statement: PolicyStatement): void {
  const way =
    'Add it there and say so, with an ImportedDeadLetterQueue whose access is DeadLetterAccess.GRANTED_ELSEWHERE; or let this stack write the whole policy, with DeadLetterAccess.WRITE_POLICY.';
  scope.node.addValidation({ validate: () => [`${manualPolicyText(scope, unwritable, statement)} ${way}`] });
}
