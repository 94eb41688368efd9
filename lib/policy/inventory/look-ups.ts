import { parseArn } from '../arn';
import type { FunctionFacts, Inventory, KeyFacts, QueueFacts, Resource, RoleFacts, TopicFacts } from './inventory';

function byArn<T extends Resource>(resources: readonly T[], arn: string | undefined): T | undefined {
  return arn === undefined ? undefined : resources.find(it => it.arn === arn);
}

export function queueOf(arn: string | undefined, { queues }: Inventory): QueueFacts | undefined {
  return byArn(queues, arn);
}

export function topicOf(arn: string | undefined, { topics }: Inventory): TopicFacts | undefined {
  return byArn(topics, arn);
}

export function roleOf(arn: string | undefined, { roles }: Inventory): RoleFacts | undefined {
  return byArn(roles, arn);
}

const PARTS_OF_A_NAME = 2;

/** The ARN of the function itself, from that of one of its versions or aliases. */
export function unqualified(functionArn: string): string {
  const { resource } = parseArn(functionArn) ?? {};
  const parts = resource?.split(':') ?? [];
  if (parts.length <= PARTS_OF_A_NAME) return functionArn;
  return functionArn.slice(0, -parts.slice(PARTS_OF_A_NAME).join(':').length - 1);
}

/** The version or alias an ARN names; undefined where it names the function itself. */
export function qualifierOf(functionArn: string): string | undefined {
  const name = unqualified(functionArn);
  return name === functionArn ? undefined : functionArn.slice(name.length + 1);
}

/** @param arn of the function, of a version or of an alias */
export function functionOf(arn: string | undefined, { functions }: Inventory): FunctionFacts | undefined {
  return arn === undefined ? undefined : byArn(functions, unqualified(arn));
}

const KEY_PREFIX = 'key/';
const ALIAS_PREFIX = 'alias/';

/** Whether a key is meant by an id, an ARN, an alias or the ARN of an alias. */
function isMeant({ arn, aliases }: KeyFacts, name: string): boolean {
  if (arn === name) return true;
  const resource = parseArn(name)?.resource ?? name;
  if (resource.startsWith(ALIAS_PREFIX)) return aliases.includes(resource);
  return parseArn(arn)?.resource === `${KEY_PREFIX}${name}`;
}

/** @param name an id, an ARN, an alias or the ARN of an alias */
export function keyOf(name: string | undefined, { keys }: Inventory): KeyFacts | undefined {
  return name === undefined ? undefined : keys.find(it => isMeant(it, name));
}

/** Whether a name is that of a key of AWS's own, whose policy lets no service in: `alias/aws/sqs`. */
export function isAliasOfAws(name: string): boolean {
  return (parseArn(name)?.resource ?? name).startsWith(`${ALIAS_PREFIX}aws/`);
}
