import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SAMPLE_POLICY } from '../../policy/arbitraries';
import { dlo } from './run-dlo';

const doc = (name: string) => readFileSync(path.join(__dirname, '../../../docs', name), 'utf8');

/** The console blocks of the pages: what was typed, and what came of it. */
const transcripts = ['policy.md', 'relay.md']
  .flatMap(page => [...doc(page).matchAll(/```console\n\$ dlo (.*)\n([\s\S]*?)```/g)])
  .map(([, args = '', output = '']) => ({ args, output }));

const bad = doc('policy.md').match(/```json\n([\s\S]*?)```/)?.[1] ?? '';

test("the policy on the page is the example of AWS's own", () => {
  expect(JSON.parse(doc('delivery-policy.json'))).toEqual(SAMPLE_POLICY);
});

test('the pages show what the command prints and draws today', async () => {
  expect(transcripts).toHaveLength(3);
  for (const { args, output } of transcripts) {
    const { out, err, written } = await dlo(args, {
      'delivery-policy.json': doc('delivery-policy.json'),
      'bad.json': bad,
    });
    expect(out + err).toBe(output);
    for (const [file, picture] of written) expect(doc(file)).toBe(picture);
  }
});
