import { isMembers, type Members } from '../kernel/json';
import type { SqsInternals } from './desk';
import type { Queue } from './queue';
import { changed } from './queue-attributes';

/** The queue's policy as its owner wrote it, its statements in a list; AWS's own beginning of one where there is none. */
export function policyOf(queue: Queue): { readonly document: Members; readonly statements: readonly Members[] } {
  const text = queue.attributes['Policy'];
  if (text === undefined) {
    return { document: { Version: '2008-10-17', Id: `${queue.arn}/SQSDefaultPolicy` }, statements: [] };
  }
  const document: unknown = JSON.parse(text);
  if (!isMembers(document)) throw new TypeError(`the policy of ${queue.arn} is no object: ${text}`);
  const { Statement: statements } = document;
  const list: readonly unknown[] = Array.isArray(statements) ? statements : [statements];
  return { document, statements: list.filter(isMembers) };
}

/** Gives the queue the policy with these statements, or none when there are none. */
export function setStatements(
  internals: SqsInternals,
  queue: Queue,
  document: Members,
  statements: readonly Members[],
): void {
  const Policy = statements.length > 0 ? JSON.stringify({ ...document, Statement: statements }) : '';
  queue.setAttributes(changed(queue.attributes, { Policy }));
  internals.context.trace.record({ type: 'sqs.attributes-set', queueArn: queue.arn, attributes: ['Policy'] });
}
