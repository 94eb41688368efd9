import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../lib/private/handler-code';

interface Docs {
  readonly summary?: string;
  readonly default?: string;
}

interface Member {
  readonly name: string;
  readonly optional?: boolean;
  readonly overrides?: string;
  readonly docs?: Docs;
}

interface Type {
  readonly fqn: string;
  readonly kind: 'class' | 'interface' | 'enum';
  readonly datatype?: boolean;
  readonly docs?: Docs;
  readonly properties?: readonly Member[];
  readonly methods?: readonly Member[];
}

/** What jsii made of `lib/` when it was built; a large one is compressed beside its place. */
function assembly(): { types: Readonly<Record<string, Type>> } {
  const folder = packageRoot();
  const { filename, schema, ...rest } = JSON.parse(readFileSync(path.join(folder, '.jsii'), 'utf8'));
  if (schema !== 'jsii/file-redirect') return rest;
  return JSON.parse(gunzipSync(readFileSync(path.join(folder, filename))).toString('utf8'));
}

const types = Object.values(assembly().types);
const members = types.flatMap(({ fqn, datatype, properties = [], methods = [] }) =>
  [...properties, ...methods].map(member => ({ where: `${fqn}.${member.name}`, isProp: datatype === true, ...member })),
);

describe('The public API', () => {
  test('is there', () => {
    expect(types.map(({ fqn }) => fqn)).toEqual(
      expect.arrayContaining(
        ['DurableTopic', 'DeadLetterQueue', 'ProcessingQueue', 'RentalOrders'].map(
          name => `dead-letter-office.${name}`,
        ),
      ),
    );
  });

  test('says of every type and member what it is', () => {
    const silent = [
      ...types.filter(({ docs }) => !docs?.summary).map(({ fqn }) => fqn),
      ...members.filter(({ docs, overrides }) => !docs?.summary && !overrides).map(({ where }) => where),
    ];
    expect(silent).toEqual([]);
  });

  test('says of every optional property what it is without', () => {
    const optional = members.filter(({ isProp, optional }) => isProp && optional);
    expect(optional.length).toBeGreaterThan(20);
    expect(optional.filter(({ docs }) => !docs?.default).map(({ where }) => where)).toEqual([]);
  });
});
