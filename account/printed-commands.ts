import { type AwsCall, type CallSite, renderCall, siteOptions } from '../diagnosis/fixes/fix';
import { shellWord } from '../policy/format-text';
import type { ConnectionOptions } from './connection/connection';

/** The AWS account and endpoint that printed commands are for. */
export interface Site {
  readonly options: ConnectionOptions;
  /** The Region that was read. @default - none: the resources are not deployed */
  readonly region?: string;
}

/** The options of `dlo` for the same account, Region and endpoint, as words. */
export function siteWords({ profile, region, endpointUrl, roleArn }: ConnectionOptions): readonly string[] {
  const options = { '--profile': profile, '--region': region, '--endpoint-url': endpointUrl, '--role-arn': roleArn };
  return Object.entries(options).flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
}

/**
 * A `dlo` command with the same connection options: `dlo dlq why orders-dlq --region eu-west-1`.
 *
 * @param words after `dlo`
 */
export function dloCommand(words: readonly string[], { options }: Site): string {
  return ['dlo', ...words, ...siteWords(options)].map(shellWord).join(' ');
}

/** The Region is always included, because `aws` does not look for it in all the places where `dlo` does. */
function callSite({ options, region }: Site): CallSite {
  return region === undefined ? options : { ...options, region };
}

/** An API call as an `aws` command with the same connection options. */
export function awsCommand(call: AwsCall, site: Site): string {
  return renderCall(call, callSite(site));
}

/** Lines to print above `aws` commands, which cannot assume a role by an option. A shell ignores them. */
export function roleLines({ options: { roleArn } }: Site): readonly string[] {
  return roleArn === undefined ? [] : [`# with the credentials of the role ${roleArn}:`];
}

/** API calls as lines of `aws` commands, which say first what role they need. Each command is on one line, so that it can be copied. */
export function awsCommandLines(calls: readonly AwsCall[], site: Site): readonly string[] {
  return calls.length === 0 ? [] : [...roleLines(site), ...calls.map(call => awsCommand(call, site))];
}

/** An `aws` command with the same connection options. @param words after `aws` */
export function awsCommandOf(words: readonly string[], site: Site): string {
  return ['aws', ...words.map(shellWord), ...siteOptions(callSite(site))].join(' ');
}
