import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { OpsTopic } from '../../lib';
import { Deployed } from './deployed';
import { confirmEndpoints } from './subscribers';

const FOLDER = path.join(__dirname, '../../docs/examples');

/** Every example that a user might copy. Files that end in `.test.ts` run by themselves. */
export const EXAMPLES = readdirSync(FOLDER).filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'));

export interface Example {
  readonly app: App;
  readonly stacks: readonly Stack[];
}

/** Runs a file like `cdk synth`, with the feature flags of a new project. Returns its exported stacks, and their app. */
export function load(file: string): Example {
  const { context } = JSON.parse(readFileSync(path.join(__dirname, '../../cdk.json'), 'utf8'));
  const usual = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}');
  process.env['CDK_CONTEXT_JSON'] = JSON.stringify({ ...usual, ...context });
  const exported: Record<string, unknown> = require(path.join(FOLDER, file));
  const stacks = Object.values(exported).filter(it => it instanceof Stack);
  const app = stacks[0]?.node.root;
  if (!(app instanceof App)) throw new Error(`${file} exports no stack`);
  return { app, stacks };
}

/** Deploys it, and does what the owners of its endpoints must do. */
export async function deployExample({ app }: Example): Promise<Deployed> {
  const deployed = await Deployed.assembly(app.synth().directory);
  confirmEndpoints(deployed);
  return deployed;
}

/** Publishes to each topic but those that alarms speak to. */
export async function publishToAll({ app }: Example, deployed: Deployed): Promise<void> {
  for (const topic of app.node.findAll().filter(it => it instanceof Topic)) {
    if (topic instanceof OpsTopic) continue;
    await deployed.publish(`/${topic.node.path}`, 'an order', topic.fifo ? { MessageGroupId: 'customer-7' } : {});
  }
}
