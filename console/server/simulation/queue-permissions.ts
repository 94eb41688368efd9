import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { BadInput } from '../../../account/errors';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { lastPart } from '../../../policy/arn';
import { isObject, type JsonObject, listOfOneOrMore, parseObject } from '../../../policy/json-members';
import { knownValue } from '../../../template/maybe-known';
import type { SimulatedPermission } from '../../api/simulation';
import type { ConsoleSource } from '../source';

interface Statement {
  readonly id: string;
  readonly queue: string;
  readonly statement: JsonObject;
}

function statementsOf(queue: string, policy: unknown): readonly Statement[] {
  const listed = isObject(policy) && policy['Statement'] !== undefined ? listOfOneOrMore(policy['Statement']) : [];
  return listed.filter(isObject).map(statement => ({ id: `${queue} ${JSON.stringify(statement)}`, queue, statement }));
}

function namesIn(value: unknown): string {
  if (isObject(value)) return Object.values(value).map(namesIn).join(', ');
  return listOfOneOrMore(value)
    .map(it => String(it))
    .join(', ');
}

/** `sns.amazonaws.com may sqs:SendMessage for Rental-Orders`. */
function sentence(statement: JsonObject): string {
  const principals = namesIn(statement['Principal'] ?? '*');
  const who = principals === '*' ? 'Every principal' : principals;
  const condition = statement['Condition'];
  const sources = isObject(condition) ? Object.values(condition).flatMap(it => namesIn(it).split(', ')) : [];
  const from = sources.filter(it => it.startsWith('arn:')).map(lastPart);
  return `${who} may ${namesIn(statement['Action'] ?? 'do everything but some actions')}${from.length > 0 ? ` for ${from.join(', ')}` : ''}`;
}

/** Takes permissions away that policies of queues give, and gives them back. */
export class QueuePermissions {
  private taken: readonly Statement[] = [];

  constructor(private readonly source: ConsoleSource) {}

  /** The permissions that all queues give, those that were taken away included. */
  list({ queues }: Inventory): readonly SimulatedPermission[] {
    const there = queues
      .flatMap(({ name, policy }) => statementsOf(name, knownValue(policy)))
      .filter(({ statement }) => statement['Effect'] === 'Allow');
    const ids = new Set(there.map(({ id }) => id));
    const gone = this.taken.filter(({ id }) => !ids.has(id));
    const isTaken = (id: string): boolean => this.taken.some(it => it.id === id);
    return [...there, ...gone]
      .map(({ id, queue, statement }) => ({ id, queue, says: sentence(statement), isTaken: isTaken(id) }))
      .sort((one, other) => one.queue.localeCompare(other.queue));
  }

  /** @throws BadInput when the policy has no such statement, or it was not taken away */
  async set(id: string, isTaken: boolean): Promise<void> {
    const found = await this.source.alone('change', aws => this.change(aws.client(SQSClient), id, isTaken));
    this.taken = isTaken ? [...this.taken, found] : this.taken.filter(it => it.id !== id);
  }

  private async change(sqs: SQSClient, id: string, isTaken: boolean): Promise<Statement> {
    const queue = id.slice(0, id.indexOf(' '));
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queue }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }));
    const policy = parseObject(Attributes?.['Policy']) ?? { Version: '2012-10-17' };
    const statements = statementsOf(queue, policy);
    const found = (isTaken ? statements : this.taken).find(it => it.id === id);
    if (!found) throw new BadInput([`the policy of ${queue} has changed: load the page again`]);
    const others = statements.filter(it => it.id !== id);
    const wanted = (isTaken ? others : [...others, found]).map(it => it.statement);
    const Policy = wanted.length === 0 ? '' : JSON.stringify({ ...policy, Statement: wanted });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    return found;
  }

  /** What was taken away, for a snapshot. */
  get state(): readonly Statement[] {
    return this.taken;
  }

  restore(state: readonly Statement[]): void {
    this.taken = state;
  }
}
