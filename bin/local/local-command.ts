import { Command, InvalidArgumentError, Option } from 'commander';
import type { AccountAndRegion, Speed } from '../../local';
import { parseArn } from '../../policy/arn';
import { isoInstantMs } from '../../policy/instants';
import { allowHostOption, pairOf, portOf } from '../shared/command-line';
import type { Io } from '../shared/io';
import type { Forward } from './run-local';

const DEFAULT_PORT = 4566;

const HELP = `
Any AWS client works with it: the aws command and SDKs with --endpoint-url or AWS_ENDPOINT_URL. Tests in any language
control it over HTTP: POST /_dlo/advance, GET /_dlo/state, GET /_dlo/trace, PUT /_dlo/endpoints/HOST, PUT /_dlo/faults,
PUT /_dlo/services/NAME, POST /_dlo/snapshot, POST /_dlo/restore, POST /_dlo/reset.

Without --assembly, it synthesizes the app of cdk.json in this folder, as the cdk command does. Without a cdk.json, AWS is
empty: create resources with any client.

Exit codes: 0 interrupted, 1 failure, 2 bad input.`;

/**
 * `dlo local`: serves an embedded AWS on one port.
 *
 * @param folder the folder that contains `cdk.json`. @default - the current folder
 */
export function localCommand(io: Io, folder = process.cwd()): Command {
  return new Command('local')
    .option(
      '--assembly <dir>',
      "a cloud assembly, for example cdk.out (repeatable; default: a fresh one of cdk.json's app)",
      listed,
      [],
    )
    .option('--template <file>', 'a CloudFormation template in JSON or YAML (repeatable)', listed, [])
    .option('--watch', 'update the stacks whenever an assembly or template changes, for example by cdk synth')
    .option('--stage <name>', 'deploy one stage of the app (default: all stacks of the app and of its stages)')
    .option('-c, --context <key=value>', 'a context value for the app (repeatable)', pairOf('key=value'), {})
    .option(
      '--parameter <name=value>',
      'a value for a parameter of the templates (repeatable)',
      pairOf('Name=Value'),
      {},
    )
    .option('--port <port>', 'the port to listen on, or 0 for any free port', portOf, DEFAULT_PORT)
    .option(
      '--bind <address>',
      'the address to listen on; others than loopback are reachable from the network',
      '127.0.0.1',
    )
    .addOption(allowHostOption())
    .addOption(
      new Option('--speed <speed>', '1 is real time, N is N times as fast, max jumps to the next event, 0 stops time')
        .argParser(speedOf)
        .default(1, '1'),
    )
    .option('--seed <seed>', 'the random seed; the same seed gives the same ids', '1')
    .option('--start-at <instant>', 'the initial time, as ISO 8601 (default: now)', instantOf)
    .addOption(
      new Option('--stand-ins <rule>', 'whether to deploy stand-ins for what is not simulated, or to refuse it')
        .choices(['warn', 'refuse'])
        .default('warn'),
    )
    .option(
      '--place <account/region>',
      'one more account, Region or both, such as 222222222222/eu-west-1 (repeatable; those of the stacks need no option)',
      placeOf,
      [],
    )
    .option('--device <arn>', 'a registered device that the app subscribes (repeatable)', deviceOf, [])
    .option(
      '--forward <service=url>',
      'send the calls of a service that is not simulated to an emulator, such as dynamodb=http://127.0.0.1:8000 (repeatable)',
      forwardOf,
      [],
    )
    .addOption(new Option('--json', 'print events as JSON, one document per line').conflicts('quiet'))
    .option('--no-bodies', 'do not print the bodies of messages')
    .option('--quiet', 'do not print events')
    .addHelpText('after', HELP)
    .action(async options => (await import('./run-local')).runLocal({ ...options, folder }, io));
}

const listed = (one: string, others: readonly string[]): readonly string[] => [...others, one];

function speedOf(text: string): Speed {
  if (text === 'max') return 'max';
  const speed = Number(text);
  if (text.trim() !== '' && Number.isFinite(speed) && speed >= 0) return speed;
  throw new InvalidArgumentError('It must be max, or a number of 0 or more.');
}

function instantOf(text: string): string {
  if (isoInstantMs(text) !== undefined) return text;
  throw new InvalidArgumentError('It must be an instant as ISO 8601, for example 2026-01-01T00:00:00Z.');
}

function placeOf(text: string, places: readonly AccountAndRegion[]): readonly AccountAndRegion[] {
  const parts = text.split('/');
  const accounts = parts.filter(part => /^\d{12}$/.test(part));
  const regions = parts.filter(part => /^[a-z]{2,3}(-[a-z]+)+-\d+$/.test(part));
  const [[account], [region]] = [accounts, regions];
  if (accounts.length < 2 && regions.length < 2 && accounts.length + regions.length === parts.length) {
    return [...places, { ...(account !== undefined && { account }), ...(region !== undefined && { region }) }];
  }
  throw new InvalidArgumentError('It must be an account of twelve digits, a Region, or both as ACCOUNT/REGION.');
}

function deviceOf(text: string, devices: readonly string[]): readonly string[] {
  if (parseArn(text)?.resource.startsWith('endpoint/')) return [...devices, text];
  throw new InvalidArgumentError(
    'It must be the ARN of a platform endpoint, such as arn:aws:sns:…:endpoint/GCM/App/1.',
  );
}

function forwardOf(text: string, forwards: readonly Forward[]): readonly Forward[] {
  const equals = text.indexOf('=');
  if (equals > 0) return [...forwards, { service: text.slice(0, equals), url: text.slice(equals + 1) }];
  throw new InvalidArgumentError('It must be a service and a URL, such as dynamodb=http://127.0.0.1:8000.');
}
