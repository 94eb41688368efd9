import { Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Redrive } from '../../../lib';
import { type RedriveSettings, readRedriveSettings } from '../../../policy/redrive/redrive-settings';
import { only, templateOf } from '../support';

/** Returns the settings as the function reads them, with logical ids in place of tokens. */
export function settingsOf({ handler }: Redrive): RedriveSettings {
  const stack = Stack.of(handler);
  const { Resources } = templateOf(stack).toJSON();
  const id = handler.node.defaultChild instanceof CfnFunction ? stack.getLogicalId(handler.node.defaultChild) : '';
  const parts: unknown[] = Resources[id].Properties.Environment.Variables.REDRIVE_SETTINGS['Fn::Join'][1];
  const reading = readRedriveSettings(parts.map(part => (typeof part === 'string' ? part : nameOf(part))).join(''));
  if (reading.kind === 'problems') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

/** Returns `Orders.Arn` or `Orders`, without CDK's hash. An import from another stack has its name there. */
export function nameOf(part: unknown): string {
  const { Ref, 'Fn::GetAtt': attribute = [], 'Fn::ImportValue': imported } = Object(part) as Intrinsic;
  if (imported !== undefined) return imported;
  const [id = '', ...names] = Ref === undefined ? attribute : [Ref];
  return [id.replace(/([0-9A-F]{8})+$/, ''), ...names].join('.');
}

interface Intrinsic {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly string[];
  readonly 'Fn::ImportValue'?: string;
}

/** Returns the permissions of the function's role, as `action resource`. */
export function grantsOf(template: Template): string[] {
  const [, { Properties }] = only(template, 'AWS::IAM::Policy', {
    Properties: { PolicyName: Match.stringLikeRegexp('RedriveRoleDefaultPolicy') },
  });
  const { Statement } = Properties['PolicyDocument'] as { Statement: { Action: unknown; Resource: unknown }[] };
  return Statement.flatMap(({ Action, Resource }) =>
    [Action].flat().map(action => `${String(action)} ${typeof Resource === 'string' ? Resource : whereOf(Resource)}`),
  ).sort();
}

/** Returns the last part of a joined ARN. */
function whereOf(resource: unknown): string {
  const { 'Fn::Join': [, parts] = ['', []] } = Object(resource) as { 'Fn::Join'?: [string, unknown[]] };
  const last = parts.at(-1);
  if (last === undefined) return nameOf(resource);
  return typeof last === 'string' ? last : nameOf(last);
}
