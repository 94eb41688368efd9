import { spawn } from 'node:child_process';
import type { ConnectionOptions } from '../../account/connection/connection';
import { ServerClock } from '../../account/connection/server-clock';
import { ownManifest } from '../../account/documents/own-package';
import { newConsole } from '../../console/server/console';
import { type ConsoleHttp, listenOnLoopback } from '../../console/server/http';
import { awsSource } from '../../console/server/source';
import { type RedactOptions, redactionOf, redactPathsOf } from '../dlq/redact-option';
import { type AuditOptions, auditLogGroupOf } from '../shared/audit';
import type { CommandContext } from '../shared/command-line';
import { unavailablePort } from '../shared/command-line';
import { PAGE_FOLDER } from './page-folder';

export interface ConsoleCommandOptions extends ConnectionOptions, AuditOptions, RedactOptions {
  readonly port: number;
  readonly allowHost: readonly string[];
  readonly open: boolean;
  readonly allowChanges?: boolean;
}

/**
 * Serves the console until it is interrupted.
 * @throws Error when the port is not available
 */
export async function runConsole(
  options: ConsoleCommandOptions,
  { io, nowMs, wait, serverClock }: CommandContext,
): Promise<void> {
  // A wrong path is reported now, and not by the first redrive.
  redactionOf(options);
  const { port, open, allowChanges: mayChange = false } = options;
  const { profile, region, endpointUrl, roleArn } = options;
  const connection: ConnectionOptions = {
    ...(profile !== undefined && { profile }),
    ...(region !== undefined && { region }),
    ...(endpointUrl !== undefined && { endpointUrl }),
    ...(roleArn !== undefined && { roleArn }),
  };
  const clock = serverClock ?? new ServerClock({ nowMs, wait });
  await clock.attach(endpointUrl ?? process.env['AWS_ENDPOINT_URL']);
  const served = newConsole({
    source: awsSource(connection, nowMs, clock),
    mayChange,
    assets: PAGE_FOLDER,
    version: ownManifest().version,
    base: '/',
    isOpen: false,
    allowHosts: options.allowHost,
    auditLogGroup: auditLogGroupOf(options),
    redact: redactPathsOf(options),
    nowMs,
  });
  const listening = await listening127(port, served.http);
  try {
    const url = `http://127.0.0.1:${listening.port}/`;
    io.stdout.write(`The console is at ${url}?token=${served.session.linkToken}\n`);
    io.stdout.write(mayChange ? 'It may change AWS. ' : 'It is read-only. ');
    io.stdout.write('Press Ctrl-C to stop.\n');
    if (open && io.stdout.columns !== undefined) openBrowser(`${url}?token=${served.session.oneTimeToken()}`);
    await io.interrupted();
  } finally {
    await listening.close();
    await served.close();
  }
}

async function listening127(port: number, http: ConsoleHttp) {
  try {
    return await listenOnLoopback(port, http);
  } catch (error) {
    throw unavailablePort(error, port, '127.0.0.1') ?? error;
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a link in the user's browser. On a machine without one, the user has the printed link. */
function openBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
