import type { LocalAwsState, Speed } from '../../local';
import { type Column, table } from '../table';

export interface Overview {
  readonly url: string;
  readonly stacks: readonly string[];
  readonly state: LocalAwsState;
  readonly speed: Speed;
}

interface Row {
  readonly name: string;
  readonly where: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { heading: '', align: 'left', cell: ({ name }) => `  ${name}` },
  { heading: '', align: 'left', cell: ({ where }) => where },
];

/** What runs where, and how to reach it. */
export function overviewText({ url, stacks, state, speed }: Overview): string {
  const { account, region, now, queues, topics, pendingSubscriptions, functions, apis, alarms } = state;
  const lines = [
    `AWS is at ${url}: account ${account}, ${region}, ${stacks.length === 0 ? 'no stacks' : stacks.join(', ')}`,
    `It is ${now} there, and ${PACES[String(speed)] ?? `time goes ${speed} times as fast as here`}.`,
    ...section(
      'Queues',
      queues.map(({ name, url: where }) => ({ name, where })),
    ),
    ...section(
      'Topics',
      topics.map(({ name, arn: where }) => ({ name, where })),
    ),
    ...section(
      'Subscriptions that wait for POST /_dlo/confirm {"endpoint":"…"}',
      pendingSubscriptions.map(({ endpoint, topicArn }) => ({ name: endpoint, where: topicArn })),
    ),
    ...section(
      'Functions',
      functions.map(({ name, arn: where }) => ({ name, where })),
    ),
    ...section(
      'APIs',
      apis.map(({ name, url: where }) => ({ name, where })),
    ),
    ...section(
      'Alarms',
      alarms.map(({ name, state: where }) => ({ name, where })),
    ),
    '',
    'To point the aws command and SDKs at it:',
    `  export AWS_REGION=${region} AWS_DEFAULT_REGION=${region} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local`,
    `  export AWS_ENDPOINT_URL=${url}`,
    `  aws --endpoint-url ${url} sqs list-queues`,
    '',
    'Ctrl-C ends it.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

const PACES: Readonly<Record<string, string>> = {
  0: 'time stands still until POST /_dlo/advance',
  1: 'time goes as it does here',
  max: 'time jumps to whatever is due next',
};

function section(heading: string, rows: readonly Row[]): readonly string[] {
  return rows.length === 0 ? [] : ['', heading, ...table(COLUMNS, rows).slice(1)];
}
