import type { ConnectionOptions } from '../bin/command-line';
import { type AwsCall, type CallSite, renderCall, siteOptions } from '../diagnosis/fixes/fix';
import { shellWord } from '../policy/format-text';

/** For which AWS the commands are that are printed. */
export interface Site {
  /** As its user gave them. */
  readonly options: ConnectionOptions;
  /** That which was asked. @default - none: what is told of is not deployed */
  readonly region?: string;
}

/**
 * A command of ours as it can be typed for the same AWS: `dlo dlq why orders-dlq --region eu-west-1`. What its user did not say
 * it finds again where it found it.
 *
 * @param words behind `dlo`
 */
export function dloCommand(words: readonly string[], { options }: Site): string {
  return ['dlo', ...words.map(shellWord), ...siteOptions(options)].join(' ');
}

/** The Region is always said: `aws` does not look for it everywhere we do. */
function callSite({ options, region }: Site): CallSite {
  return region === undefined ? options : { ...options, region };
}

/** A call as an `aws` command for the same AWS. */
export function awsCommand(call: AwsCall, site: Site): string {
  return renderCall(call, callSite(site));
}

/** An `aws` command for the same AWS, of words as they are typed. */
export function awsCommandOf(words: readonly string[], site: Site): string {
  return ['aws', ...words.map(shellWord), ...siteOptions(callSite(site))].join(' ');
}
