import { messageOf } from '../../account/errors';
import { LocalAws, type LocalAwsOptions } from '../../local';
import { HOUR_MS } from '../../policy/time-units';
import { CONSOLE_PATH, LocalConsole } from '../local/local-console';
import { unavailablePort } from '../shared/command-line';
import type { Io } from '../shared/io';
import { beginRentalDay, rentalDayEnd, rentalDayMarks } from './rental-day';

/** Ten minutes a second: the day takes two and a half minutes. */
const SPEED = 600;

/** When the shop opens, an hour before anything goes wrong. */
const OPENS_AFTER_MS = 6 * HOUR_MS;

interface Served {
  readonly port: number;
  /** Host names under which it answers. */
  readonly allowHost: readonly string[];
}

/**
 * Plays the day in the console until it is interrupted.
 *
 * @throws BadInput when the stack is not RentalOrders
 * @throws Error when the port is not available
 */
export async function showRentalDay(assembly: string, options: LocalAwsOptions, served: Served, io: Io): Promise<void> {
  const interrupted = io.interrupted();
  const aws = await LocalAws.deployWith(assembly, options, async begun => void (await beginRentalDay(begun)));
  const page = new LocalConsole(served.allowHost);
  try {
    const fromMs = aws.nowMs;
    await aws.advanceTo(fromMs + OPENS_AFTER_MS);
    const listening = await listen(aws, served, page, io);
    const marks = rentalDayMarks(fromMs);
    const title = 'A bad day at Rental Orders. The shop opens at 06:00.';
    page.open(listening.port, aws.place.region, { title, endsAtMs: rentalDayEnd(fromMs), marks });
    io.stdout.write(
      `The bad day is at ${listening.url}${CONSOLE_PATH}#/simulation in a browser, ten minutes a second.\n`,
    );
    io.stdout.write(`It is an AWS too: --endpoint-url ${listening.url}. Press Ctrl-C to stop.\n`);
    await interrupted;
  } finally {
    await page.close();
    await aws.close();
  }
}

async function listen(aws: LocalAws, { port, allowHost: allowHosts }: Served, { pages }: LocalConsole, io: Io) {
  const onError = (error: unknown): void => void io.stderr.write(`dlo: ${messageOf(error)}\n`);
  try {
    return await aws.listen({ port, allowHosts, speed: SPEED, rewindable: true, pages, onError });
  } catch (error) {
    throw unavailablePort(error, port, '127.0.0.1') ?? error;
  }
}
