import { Command, InvalidArgumentError, Option } from 'commander';
import { isoInstantMs, type Speed } from '../../local';
import type { Io } from '../io';
import { runLocal } from './run-local';

const DEFAULT_PORT = 4566;

const HELP = `
Any client of AWS works with it: the aws command and SDKs with --endpoint-url, or AWS_ENDPOINT_URL. Tests in any language
steer it by HTTP: POST /_dlo/advance, GET /_dlo/state, GET /_dlo/trace, PUT /_dlo/endpoints/HOST, PUT /_dlo/faults.

Without --assembly it synthesizes the app of cdk.json in this folder, as the CDK's own command does.

Exit codes: 0 interrupted, 1 could not, 2 bad input.`;

/**
 * `dlo local`: AWS on this machine, behind one port.
 *
 * @param folder with the `cdk.json`. @default - where the command is run
 */
export function localCommand(io: Io, folder = process.cwd()): Command {
  return new Command('local')
    .description('deploy a CDK app into AWS on this machine, and serve it to any client')
    .option('--assembly <dir>', "a cloud assembly, for example cdk.out (default: a fresh one of cdk.json's app)")
    .option('-c, --context <key=value>', 'a value of context for the app; may be given again', contextOf, {})
    .option('--port <port>', 'the port to listen on; 0 for any that is free', portOf, DEFAULT_PORT)
    .option('--bind <address>', 'the address to listen on; any other than loopback lets others in', '127.0.0.1')
    .addOption(
      new Option('--speed <speed>', '1 is the pace of the clock on the wall, N times it, max, or 0: time stands still')
        .argParser(speedOf)
        .default(1, '1'),
    )
    .option('--seed <seed>', 'what chance begins with; the same seed makes the same ids', '1')
    .option('--start-at <instant>', 'when it is there, as ISO 8601 (default: now)', instantOf)
    .addOption(new Option('--json', 'print what happens as JSON, one document a line').conflicts('quiet'))
    .option('--quiet', 'do not print what happens')
    .addHelpText('after', HELP)
    .action(options => runLocal({ ...options, folder }, io));
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

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

function contextOf(text: string, context: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals > 0) return { ...context, [text.slice(0, equals)]: text.slice(equals + 1) };
  throw new InvalidArgumentError('It must be key=value.');
}
