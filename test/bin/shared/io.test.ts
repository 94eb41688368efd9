import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../../account/errors';
import { processIo } from '../../../bin/shared/io';

describe('the files of the process', () => {
  const io = processIo();
  const folder = mkdtempSync(path.join(tmpdir(), 'io-'));
  const file = path.join(folder, 'messages.jsonl');

  async function linesOf(name: string): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of io.lines(name)) lines.push(line);
    return lines;
  }

  test('are written piece by piece, as new files or appended, for their owner only', async () => {
    const anew = await io.writer(file, 'replace');
    await anew.write('one\n');
    await anew.write('two\n');
    await anew.close();
    const more = await io.writer(file, 'append');
    await more.write('three');
    await more.close();
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await (await io.writer(file, 'replace')).close();
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('are begun once, whoever else begins them', async () => {
    const begun = path.join(folder, 'begun');
    const first = await io.writer(begun, 'create');
    await expect(io.writer(begun, 'create')).rejects.toThrow(
      `${begun}: exists already: another process has just created it`,
    );
    await first.write('one\n');
    await first.close();
    expect(readFileSync(begun, 'utf8')).toBe('one\n');
  });

  test('are read line by line with their ends, whatever the pieces they come in', async () => {
    const long = `${'\u{1f4ee}ö'.repeat(100_000)}\n`;
    writeFileSync(file, `${long}\n${long}cut`);
    expect(await linesOf(file)).toEqual([long, '\n', long, 'cut']);
    writeFileSync(file, '');
    expect(await linesOf(file)).toEqual([]);
  });

  test('take the place of others', async () => {
    writeFileSync(file, 'old');
    const part = `${file}.part`;
    writeFileSync(part, 'new');
    expect([await io.exists(part), await io.exists(file)]).toEqual([true, true]);
    await io.rename(part, file);
    expect([await io.exists(part), readFileSync(file, 'utf8')]).toEqual([false, 'new']);
  });

  test('say in words why they cannot be read or written', async () => {
    const nowhere = path.join(folder, 'nowhere', 'messages.jsonl');
    await expect(linesOf(nowhere)).rejects.toThrow(new BadInput([`${nowhere}: no such file or folder`]));
    await expect(linesOf(folder)).rejects.toThrow(new BadInput([`${folder}: is a directory, not a file`]));
    const words = `${nowhere}: no such file or folder`;
    await expect(io.writer(nowhere, 'replace')).rejects.toThrow(words);
    await expect(io.rename(file, nowhere)).rejects.toThrow(words);
  });

  test('leave what whoever reads them throws as it is', async () => {
    writeFileSync(file, 'one\ntwo\n');
    const reading = async () => {
      for await (const line of io.lines(file)) throw Object.assign(new Error(line), { code: 'ENOENT' });
    };
    await expect(reading()).rejects.toThrow(/^one\n$/);
  });
});

describe('an interrupt of the process', () => {
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
  const before = signals.map(signal => [signal, process.rawListeners(signal)] as const);

  afterEach(() => {
    jest.restoreAllMocks();
    for (const [signal, listeners] of before) {
      process.removeAllListeners(signal);
      for (const listener of listeners) process.on(signal, () => Reflect.apply(listener, process, [signal]));
    }
  });

  test.each(signals)(
    'by %s is told to a command that ends by itself, and only a second Ctrl-C ends it',
    async signal => {
      const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
      const reported = processIo().interrupted();
      process.emit(signal, signal);
      await expect(reported).resolves.toBeUndefined();
      // The system and then the shell send SIGHUP when a terminal is closed.
      process.emit('SIGHUP', 'SIGHUP');
      expect(exit).not.toHaveBeenCalled();
      process.emit('SIGINT', 'SIGINT');
      expect(exit).toHaveBeenCalledWith(130);
    },
  );

  test('goes on where its terminal cannot be written to any more', () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    processIo();
    for (const stream of [process.stdout, process.stderr]) {
      stream.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }));
    }
    expect(exit).not.toHaveBeenCalled();
  });
});
