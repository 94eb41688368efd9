import { Annotations, Aws, Stack, Token } from 'aws-cdk-lib';
import { Annotations as Annotated, Match, Template } from 'aws-cdk-lib/assertions';
import type { Construct, IConstruct } from 'constructs';
import { OpsTopic } from '../../lib';
import { newApp } from '../support/new-app';

export { newApp };

/** An account and Region, for rules that need to know them. */
export const HERE = { account: '111122223333', region: 'us-east-1' };
export const ELSEWHERE = { account: '111122223333', region: 'eu-west-1' };

export function newStack(env?: { account: string; region: string }): Stack {
  return new Stack(newApp(), 'Stack', { env });
}

/** Returns the synthesized template. Fails if it has cycles. */
export function templateOf(stack: Stack): Template {
  return Template.fromStack(stack);
}

/** Returns the ids of our warnings of a stack, sorted and without duplicates. */
export function warningIds(stack: Stack): string[] {
  const found = Annotated.fromStack(stack).findWarning('*', Match.anyValue());
  const ids = found.map(({ entry }) => /\[ack: dead-letter-office:([a-z-]+)\]/.exec(String(entry.data))?.[1] ?? '');
  return [...new Set(ids.filter(id => id !== ''))].sort();
}

/** Adds a topic for alarms, with a subscriber. */
export function opsTopic(scope: Construct, id = 'Ops'): OpsTopic {
  return new OpsTopic(scope, id, { email: 'ops@example.com' });
}

/** Acknowledges warnings about consumers without a dead-letter queue, which most tests are not about. */
export function allowPlainConsumers(scope: IConstruct): void {
  for (const id of ['function-keeps-nothing', 'queue-keeps-nothing']) {
    Annotations.of(scope).acknowledgeWarning(`dead-letter-office:${id}`, 'It is a test.');
  }
}

/** The text of the first warning with this id. */
export function warningText(stack: Stack, id: string): string {
  const found = Annotated.fromStack(stack).findWarning('*', Match.stringLikeRegexp(`dead-letter-office:${id}`));
  return String(found[0]?.entry.data);
}

/** Returns the lines of the error that `act` throws; empty if it throws none. */
export function problemsOf(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [String(error)];
  }
  return [];
}

/** Returns the logical id and content of the only resource of a type. */
export function only(template: Template, type: string, props?: unknown): [string, Resource] {
  const found = Object.entries(template.findResources(type, props));
  const [first] = found;
  if (found.length !== 1 || !first) throw new Error(`${found.length} resources of type ${type}, not one`);
  return [first[0], first[1] as Resource];
}

export interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
}

/** A number that is not known before deployment. */
export function numberToken(): number {
  return Token.asNumber({ Ref: 'AWS::AccountId' });
}

/** A text that is not known before deployment. */
export function textToken(): string {
  return Aws.ACCOUNT_ID;
}

/** Matches the statement that lets a service use a key, under some condition. */
export function keyGrant(service: string) {
  return Match.objectLike({
    Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
    Effect: 'Allow',
    Principal: { Service: service },
    Condition: Match.anyValue(),
  });
}
