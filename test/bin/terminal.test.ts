import { Terminal } from '../support/terminal';

describe('dlo in a terminal', () => {
  test('draws what it paints, and ends with its exit code', async () => {
    const terminal = new Terminal(['policy', 'explain', '--preset', 'aws-managed']);
    const exitCode = await terminal.ends();
    expect({ exitCode, text: terminal.text }).toEqual({ exitCode: 0, text: expect.stringContaining('100,015') });
  });
});
