import { type Command, InvalidArgumentError } from 'commander';

/** Which AWS a command talks to, as its user says it. What is left out is looked up where the SDK looks. */
export interface ConnectionOptions {
  readonly profile?: string;
  readonly region?: string;
  readonly endpointUrl?: string;
}

/** A Region's name, whatever partition it is of: it becomes a part of host names. */
const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;

/** Gives a command the options every command has that talks to AWS. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option(
      '--profile <name>',
      'a profile of ~/.aws/config (default: AWS_PROFILE, else the usual chain of credentials)',
    )
    .option('--region <region>', "the Region (default: AWS_REGION, else the profile's)", regionOf)
    .option('--endpoint-url <url>', 'where AWS is, for example dlo local (default: AWS_ENDPOINT_URL, else AWS)', urlOf);
}

function regionOf(text: string): string {
  if (REGION.test(text)) return text;
  throw new InvalidArgumentError('It must be a Region, for example eu-central-1.');
}

function urlOf(text: string): string {
  if (URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It must be an http or https URL, for example http://127.0.0.1:4566.');
}
