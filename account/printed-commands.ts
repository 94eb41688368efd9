import { type AwsCall, type CallSite, renderCall, siteOptions } from '../diagnosis/fixes/fix';
import { shellWord } from '../policy/format-text';
import type { ConnectionOptions } from './connection/connection';

/** The AWS account and endpoint that printed commands are for. */
export interface Site {
  /** The connection options that the user gave. */
  readonly options: ConnectionOptions;
  /** The Region that was read. @default - none: the resources are not deployed */
  readonly region?: string;
}

/**
 * A `dlo` command with the same connection options: `dlo dlq why orders-dlq --region eu-west-1`.
 *
 * @param words after `dlo`
 */
export function dloCommand(words: readonly string[], { options }: Site): string {
  const { roleArn } = options;
  const role = roleArn === undefined ? [] : ['--role-arn', shellWord(roleArn)];
  return ['dlo', ...words.map(shellWord), ...siteOptions(options), ...role].join(' ');
}

/** The Region is always included, because `aws` does not look for it in all the places where `dlo` does. */
function callSite({ options, region }: Site): CallSite {
  return region === undefined ? options : { ...options, region };
}

/** An API call as an `aws` command with the same connection options. */
export function awsCommand(call: AwsCall, site: Site): string {
  return renderCall(call, callSite(site));
}

/** An `aws` command with the same connection options. @param words after `aws` */
export function awsCommandOf(words: readonly string[], site: Site): string {
  return ['aws', ...words.map(shellWord), ...siteOptions(callSite(site))].join(' ');
}
