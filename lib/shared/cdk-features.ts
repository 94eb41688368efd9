import { readFileSync } from 'node:fs';
import { Annotations, Validations } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import type { LoggingConfig } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';

/**
 * What the installed aws-cdk-lib may lack. The package compiles with the newest one and works with older ones
 * (`peerDependencies`), so only this file and `lib/operations/validated-templates.ts` may use what the oldest one lacks.
 * `npm run check:oldest` fails otherwise.
 */

function installedCdk(): string {
  const { version } = JSON.parse(readFileSync(require.resolve('aws-cdk-lib/package.json'), 'utf8'));
  return String(version);
}

function isOlder(version: string, than: string): boolean {
  const [numbers, others] = [version, than].map(it => it.split(/[.-]/).map(Number)) as [number[], number[]];
  const differing = others.findIndex((other, index) => numbers[index] !== other);
  return differing !== -1 && (numbers[differing] ?? 0) < (others[differing] ?? 0);
}

/**
 * A problem if `value` is present, but the installed aws-cdk-lib is older than `since` and would ignore it.
 * @param installed @default - the version that is installed
 */
export function needsCdk(property: string, value: unknown, since: string, installed = installedCdk): Problem[] {
  if (value === undefined || !isOlder(installed(), since)) return [];
  return [{ property, rule: `needs aws-cdk-lib ${since} or later (installed: ${installed()})`, value }];
}

/**
 * Acknowledges a rule of cdk-nag 3 for a construct. cdk-nag 3 needs an aws-cdk-lib with `Validations`. An older one has
 * no acknowledgements, so this does nothing.
 */
export function acknowledgeRule(construct: IConstruct, rule: { readonly id: string; readonly reason: string }): void {
  const available: typeof Validations | undefined = Validations;
  available?.of(construct).acknowledge(rule);
}

/**
 * Whether the app has acknowledged a warning for a construct or for one around it. Older versions of CDK forget an
 * acknowledgement on the construct itself if the warning comes later, as all warnings at synthesis do. They respect it
 * for a construct within.
 */
export function isAcknowledged(construct: IConstruct, warning: string): boolean {
  const within = new Construct(construct, 'DeadLetterOfficeAcknowledged');
  Annotations.of(within).addWarningV2(warning, warning);
  construct.node.tryRemoveChild(within.node.id);
  return within.node.metadata.length === 0;
}

/** Lambda's Node.js 24, which older versions of CDK do not name. */
const named: Runtime | undefined = Runtime.NODEJS_24_X;
export const NODE_24 = named ?? new Runtime('nodejs24.x', RuntimeFamily.NODEJS, { supportsInlineCode: true });

/** The ARN of a role in a logging configuration. Older versions of CDK have no `roleRef`. */
export function loggingRoleArn(role: LoggingConfig['failureFeedbackRole']): string | undefined {
  const whole = role as Partial<IRole> | undefined;
  return whole?.roleRef?.roleArn ?? whole?.roleArn;
}
