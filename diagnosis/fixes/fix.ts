import { shellWord } from '../../policy/format-text';
import type { PolicyKind } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';
import type { MaybeKnown } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import type { Narrowing } from './narrow-denial';

export interface AwsCall {
  /** In the spelling of the `aws` command: `sqs`, `kms`, `lambda`, `sns`, `cloudwatch`, `iam`. */
  readonly service: string;
  /** `SetQueueAttributes`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * The Deny statements that the policy in the input narrows. `mergedFixes` needs it, and returns calls without it.
   * @default - none
   */
  readonly narrows?: readonly Narrowing[];
}

/** What removes the cause of a loss. */
export interface Fix {
  /** What to do, in one sentence: `Let SNS send to the queue.` */
  readonly says: string;
  /** The missing policy statement. @default - none is missing */
  readonly statement?: Readonly<Record<string, unknown>>;
  /**
   * The calls that do it. They are complete: a replaced policy includes the existing statements. @default - a person
   * must decide
   */
  readonly calls?: readonly AwsCall[];
}

/** A policy that decides about a request. */
export interface Guard {
  /** `the policy of the queue bills`. */
  readonly where: string;
  readonly kind: PolicyKind;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** Returns the call that sets the policy. @default - a person must change it */
  readonly set?: (policy: PolicyDocument) => AwsCall;
}

export interface CallSite {
  /** @default - the operator's own */
  readonly region?: string;
  /** @default - the operator's own */
  readonly profile?: string;
  /** @default - AWS's own, or the operator's */
  readonly endpointUrl?: string;
}

export function siteOptions({ region, profile, endpointUrl }: CallSite): readonly string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', shellWord(profile)]),
    ...(region === undefined ? [] : ['--region', shellWord(region)]),
    ...(endpointUrl === undefined ? [] : ['--endpoint-url', shellWord(endpointUrl)]),
  ];
}

/** Converts an operation's name as botocore does: `SetQueueAttributes` to `set-queue-attributes`. */
function commandName(operation: string): string {
  return operation
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** A terminal may display non-ASCII characters differently from what it runs. JSON can escape all of them. */
function asciiJson(input: AwsCall['input']): string {
  return JSON.stringify(input).replace(
    /[\u007f-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Formats a call as an `aws` command on one line, for a POSIX shell: `aws sqs set-queue-attributes --cli-input-json
 * '…'`.
 * @see https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-skeleton.html
 */
export function renderCall({ service, operation, input }: AwsCall, site: CallSite = {}): string {
  return [
    'aws',
    shellWord(service),
    shellWord(commandName(operation)),
    ...siteOptions(site),
    '--cli-input-json',
    shellWord(asciiJson(input)),
  ].join(' ');
}

/** Whether a call can be run as it is. It cannot if it contains a stand-in, which is only known at deployment. */
export function isCallable({ input }: AwsCall): boolean {
  return !hasStandIn(JSON.stringify(input));
}
