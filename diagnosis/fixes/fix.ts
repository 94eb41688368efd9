import { shellWord } from '../../policy/format-text';
import { hasStandIn } from '../../template/stand-in';

/** A call of AWS, as its API has it. */
export interface AwsCall {
  /** As the `aws` command spells it: `sqs`, `kms`, `lambda`, `sns`, `cloudwatch`, `iam`. */
  readonly service: string;
  /** `SetQueueAttributes`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What takes the cause of a loss away. */
export interface Fix {
  /** What to do, in a sentence: `Let SNS send to the queue.` */
  readonly says: string;
  /** The statement of a policy that is missing. @default - none is */
  readonly statement?: Readonly<Record<string, unknown>>;
  /** The calls that do it, whole: what is there already is in them. @default - only a person can say how */
  readonly calls?: readonly AwsCall[];
}

/** Where a call is made. */
export interface CallSite {
  /** @default - that of whoever runs the command */
  readonly region?: string;
  /** @default - that of whoever runs the command */
  readonly profile?: string;
  /** @default - AWS's own, or that of whoever runs the command */
  readonly endpointUrl?: string;
}

/** What a command is told beside its arguments, so that it is for the same account, Region and endpoint. */
export function siteOptions({ region, profile, endpointUrl }: CallSite): readonly string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', shellWord(profile)]),
    ...(region === undefined ? [] : ['--region', shellWord(region)]),
    ...(endpointUrl === undefined ? [] : ['--endpoint-url', shellWord(endpointUrl)]),
  ];
}

/** As botocore turns an operation's name into the command's: `SetQueueAttributes` into `set-queue-attributes`. */
function commandName(operation: string): string {
  return operation
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** Beyond ASCII a terminal may draw what is not what it runs; JSON can say all of it in ASCII. */
function asciiJson(input: AwsCall['input']): string {
  return JSON.stringify(input).replace(
    /[\u007f-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The `aws` command that makes a call, on one line, for a POSIX shell: `aws sqs set-queue-attributes --cli-input-json '…'`.
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

/** Whether a call can be made as it stands: one that names what only a deployment tells cannot. */
export function isCallable({ input }: AwsCall): boolean {
  return !hasStandIn(JSON.stringify(input));
}
