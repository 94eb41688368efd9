import {
  AttachRolePolicyCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Connection } from '../../../account/connection/connection';
import { BadInput } from '../../../account/errors';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { lastPart } from '../../../policy/arn';
import { andMore } from '../../../policy/format-text';
import { isObject, type JsonObject, listOfOneOrMore, parseObject } from '../../../policy/json-members';
import { knownValue } from '../../../template/maybe-known';
import type { SimulatedPermission } from '../../api/simulation';
import type { ConsoleSource } from '../source';

/** Where a policy is: at a queue, or at the role of functions, inline or attached. An attached policy is taken away as a whole. */
interface Place {
  readonly kind: 'queue' | 'role' | 'attached';
  /** Of the queue or the role. */
  readonly name: string;
  /** The name of an inline policy, the ARN of an attached one. Empty for a queue. */
  readonly policy: string;
  /** What a person calls it: the queue, or the functions of the role. */
  readonly holder: string;
}

export interface Statement {
  readonly id: string;
  readonly place: Place;
  readonly statement: JsonObject;
}

/** More names than this are counted. */
const MOST_NAMES = 3;

function statementsOf(place: Place, policy: unknown): readonly Statement[] {
  const listed = isObject(policy) && policy['Statement'] !== undefined ? listOfOneOrMore(policy['Statement']) : [];
  const { kind, name, policy: of } = place;
  return listed
    .filter(isObject)
    .map(statement => ({ id: `${kind} ${name} ${of} ${JSON.stringify(statement)}`, place, statement }));
}

function namesIn(value: unknown): readonly string[] {
  if (isObject(value)) return Object.values(value).flatMap(namesIn);
  return listOfOneOrMore(value).map(String);
}

const namesOf = (arns: readonly string[]): string => andMore([...new Set(arns.map(lastPart))], MOST_NAMES);

/** `sns.amazonaws.com may sqs:SendMessage for Rental-Orders`, or `may sqs:SendMessage to …` of a role. */
function sentence({ place, statement }: Statement): string {
  if (place.kind === 'attached') return `has the managed policy ${lastPart(place.policy)}`;
  const actions = andMore(namesIn(statement['Action'] ?? 'do everything but some actions'), MOST_NAMES);
  if (place.kind === 'role') return `may ${actions} on ${namesOf(namesIn(statement['Resource'] ?? '*'))}`;
  const principals = namesIn(statement['Principal'] ?? '*').join(', ');
  const sources = namesIn(statement['Condition'] ?? {}).filter(it => it.startsWith('arn:'));
  const from = sources.length > 0 ? ` for ${namesOf(sources)}` : '';
  return `${principals === '*' ? 'Every principal' : principals} may ${actions}${from}`;
}

/** Takes permissions away that policies of queues and of the roles of functions give, and gives them back. */
export class SimulatedPermissions {
  private taken: readonly Statement[] = [];
  /** By the ids that the page knows. */
  private readonly places = new Map<string, Place>();

  constructor(private readonly source: ConsoleSource) {}

  async read(inventory: Inventory): Promise<readonly Statement[]> {
    const ofQueues = inventory.queues.flatMap(({ name, policy }) =>
      statementsOf({ kind: 'queue', name, policy: '', holder: name }, knownValue(policy)),
    );
    const all = [...ofQueues, ...(await this.readRoles(inventory))];
    return all.filter(({ place, statement }) => place.kind === 'attached' || statement['Effect'] === 'Allow');
  }

  /** @returns all permissions, those that were taken away included. @param there the result of `read` */
  list(there: readonly Statement[]): readonly SimulatedPermission[] {
    for (const { id, place } of there) this.places.set(id, place);
    const ids = new Set(there.map(({ id }) => id));
    const taken = new Set(this.taken.map(({ id }) => id));
    return [...there, ...this.taken.filter(({ id }) => !ids.has(id))]
      .map(it => ({ id: it.id, holder: it.place.holder, says: sentence(it), isTaken: taken.has(it.id) }))
      .sort((one, other) => one.holder.localeCompare(other.holder));
  }

  private readRoles({ functions }: Inventory): Promise<readonly Statement[]> {
    const byRole = new Map<string, string[]>();
    for (const { name, roleArn } of functions) {
      const role = lastPart(knownValue(roleArn) ?? '');
      if (role !== '') byRole.set(role, [...(byRole.get(role) ?? []), name]);
    }
    return this.source.use(async aws => {
      const iam = aws.client(IAMClient);
      const read = [...byRole].map(async ([role, names]) => {
        const at = { name: role, holder: andMore(names, MOST_NAMES) };
        const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName: role }));
        const { AttachedPolicies = [] } = await iam.send(new ListAttachedRolePoliciesCommand({ RoleName: role }));
        const inline = PolicyNames.map(async policy => {
          const place: Place = { ...at, kind: 'role', policy };
          return statementsOf(place, await readPolicy(aws, place));
        });
        const attached = AttachedPolicies.map(({ PolicyArn: policy = '' }): Statement => {
          return { id: `attached ${role} ${policy}`, place: { ...at, kind: 'attached', policy }, statement: {} };
        });
        return [...(await Promise.all(inline)), attached];
      });
      return (await Promise.all(read)).flat(2);
    });
  }

  /** @throws BadInput when the policy has no such statement, or it was not taken away */
  async set(id: string, isTaken: boolean): Promise<void> {
    const found = await this.source.alone('change', aws => this.change(aws, id, isTaken));
    this.taken = isTaken ? [...this.taken, found] : this.taken.filter(it => it.id !== id);
  }

  private async change(aws: Connection, id: string, isTaken: boolean): Promise<Statement> {
    const place = this.places.get(id);
    if (place?.kind === 'attached') {
      await setAttached(aws, place, !isTaken);
      return { id, place, statement: {} };
    }
    const document = (place && (await readPolicy(aws, place))) ?? { Version: '2012-10-17' };
    const statements = place ? statementsOf(place, document) : [];
    const found = (isTaken ? statements : this.taken).find(it => it.id === id);
    if (!place || !found) throw new BadInput(['the policy has changed: load the page again']);
    const others = statements.filter(it => it.id !== id);
    const wanted = (isTaken ? others : [...others, found]).map(it => it.statement);
    await writePolicy(aws, place, wanted.length === 0 ? undefined : JSON.stringify({ ...document, Statement: wanted }));
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

async function urlOf(sqs: SQSClient, QueueName: string): Promise<string | undefined> {
  return (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
}

async function readPolicy(aws: Connection, { kind, name, policy }: Place): Promise<JsonObject | undefined> {
  if (kind === 'role') {
    const asked = new GetRolePolicyCommand({ RoleName: name, PolicyName: policy });
    const answer = await aws.client(IAMClient).send(asked).catch(unlessMissing);
    // IAM returns policies URL-encoded.
    return parseObject(decodeURIComponent(answer?.PolicyDocument ?? ''));
  }
  const sqs = aws.client(SQSClient);
  const QueueUrl = await urlOf(sqs, name);
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }));
  return parseObject(Attributes?.['Policy']);
}

async function setAttached(aws: Connection, { name, policy }: Place, isAttached: boolean): Promise<void> {
  const of = { RoleName: name, PolicyArn: policy };
  const iam = aws.client(IAMClient);
  if (isAttached) await iam.send(new AttachRolePolicyCommand(of));
  else await iam.send(new DetachRolePolicyCommand(of));
}

/** A policy without statements does not exist. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && error.name === 'NoSuchEntityException')) throw error;
}

/** @param document undefined to delete the policy */
async function writePolicy(aws: Connection, { kind, name, policy }: Place, document?: string): Promise<void> {
  if (kind === 'queue') {
    const sqs = aws.client(SQSClient);
    const QueueUrl = await urlOf(sqs, name);
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy: document ?? '' } }));
    return;
  }
  const of = { RoleName: name, PolicyName: policy };
  const iam = aws.client(IAMClient);
  if (document === undefined) await iam.send(new DeleteRolePolicyCommand(of));
  else await iam.send(new PutRolePolicyCommand({ ...of, PolicyDocument: document }));
}
