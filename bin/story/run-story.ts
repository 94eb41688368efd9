import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../account/errors';
import { AssemblyError, LocalAws, type LocalAwsOptions } from '../../local';
import type { Io } from '../shared/io';
import { paintFor } from '../shared/terminal-text';
import { playRentalDay } from './rental-day';
import { storyJson, storyText } from './story-text';

export interface StoryOptions {
  readonly seed: string;
  readonly assembly?: string;
  readonly json?: boolean;
  readonly trace?: string;
  /** Whether the day is played in a browser. */
  readonly console?: boolean;
  /** That of the console. */
  readonly port: number;
  readonly allowHost: readonly string[];
}

/** A Monday. */
const STORY_DAY = '2026-01-05T00:00:00Z';

/** At least one message was lost: the command exits with 1. */
class LostMessages extends Error {}

/**
 * `dlo story rental`.
 */
export async function runRentalStory(options: StoryOptions, io: Io): Promise<void> {
  const assembly = options.assembly ?? synthesizeRentalOrders();
  if (options.console) {
    const { showRentalDay } = await import('./story-console');
    await deploying(() => showRentalDay(assembly, settingsOf(options), options, io));
    return;
  }
  const aws = await deploying(() => LocalAws.deploy(assembly, settingsOf(options)));
  try {
    // Find out before the day is played whether the trace can be written.
    if (options.trace !== undefined) await io.writeText(options.trace, '');
    const story = await playRentalDay(aws, hour => {
      if (io.stderr.isTTY) io.stderr.write(hour < 24 ? `\r${hour} of 24 hours` : '\r\u001b[K');
    });
    const paint = paintFor(io.stdout);
    io.stdout.write(options.json ? `${storyJson(story, options.seed)}\n` : storyText(story, options.seed, paint));
    if (options.trace !== undefined) await io.writeText(options.trace, aws.trace.toJsonLines());
    const missing = story.lost + story.unaccounted;
    if (missing > 0) throw new LostMessages(`${missing} messages were lost, or cannot be accounted for`);
  } finally {
    await aws.close();
  }
}

function settingsOf({ seed }: StoryOptions): LocalAwsOptions {
  return { seed, startAt: STORY_DAY, standIns: 'warn' };
}

async function deploying<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssemblyError) throw new BadInput(error.problems);
    throw error;
  }
}

/**
 * Synthesizes `RentalOrdersStack` with the constructs of this package and the user's aws-cdk-lib. The folder is deleted when the
 * process ends.
 *
 * @returns the folder of the assembly
 * @throws BadInput when aws-cdk-lib or constructs is not installed
 */
function synthesizeRentalOrders(): string {
  const { App, RentalOrdersStack } = loadConstructs();
  const directory = mkdtempSync(path.join(tmpdir(), 'dlo-rental-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  // The validation for CloudFormation would take about as long as the day itself, and nothing is deployed to AWS.
  const app = new App({ outdir: directory, analyticsReporting: false, builtinCloudFormationValidation: false });
  new RentalOrdersStack(app, 'RentalOrders', {
    rentalOrders: {
      opsEmail: 'ops@example.com',
      billingEndpoint: 'https://billing.example.com/invoices',
      systems: true,
    },
  });
  app.synth();
  return directory;
}

/** Loads the constructs only here, so that every other command starts faster. */
function loadConstructs() {
  try {
    const { App } = require('aws-cdk-lib') as typeof import('aws-cdk-lib');
    const { RentalOrdersStack } = require('../../examples/rental') as typeof import('../../examples/rental');
    return { App, RentalOrdersStack };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    throw new BadInput([
      'the story needs the packages aws-cdk-lib and constructs: install them, or name an --assembly',
    ]);
  }
}
