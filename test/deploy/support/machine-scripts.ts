/* Scripts of the shell for a bare machine on which the service is installed. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../support/processes/command';

/** Script that adds an animal with the first key, and prints the names of all animals. */
export const addAndList = (name: string, port = 3000): string => `
  key=$(cat first-key)
  curl --silent --fail --show-error --retry 9 --retry-connrefused --header "Authorization: Bearer $key" \\
    --json '{"name":"${name}","categoryId":7}' http://127.0.0.1:${port}/v1/pets >/dev/null
  animal-store export --format csv - | sed '1d; s/,.*//' | paste -sd' '`;

/** Script that starts an empty PostgreSQL server under a host name. Its administrator is `postgres`. */
export const startPostgres = (host: string, ip: string, programs: string): string => `
  echo ${ip} ${host} >>/etc/hosts
  install --directory --mode=700 --owner=nobody /var/lib/${host}
  echo PASSWORD >/tmp/password
  as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
  as_nobody ${programs}/initdb --pgdata=/var/lib/${host} --username=postgres --pwfile=/tmp/password --auth=password \\
    --encoding=UTF8 --locale=C
  as_nobody ${programs}/pg_ctl --pgdata=/var/lib/${host} --wait --log=/var/lib/${host}/log \\
    --options='-c listen_addresses=${ip} -c unix_socket_directories=' start`;

/**
 * Script that adds an animal with a leaked key, and finds and deletes it by the commands of docs/operations.md. Prints
 * its id, and then the number of such animals that are left, 0.
 */
export const addSpamAndDeleteIt = (port = 3000): string => {
  const page = readFileSync(join(projectFolder, 'docs/operations.md'), 'utf8');
  const [, find = '', remove = ''] =
    /`(animal-store log --key ID [^`]+)`[^`]+`(animal-store pets delete [^`]+)`/.exec(page) ?? [];
  return `
    animal-store keys create --name leaked >leaked-key
    curl --silent --fail --header "Authorization: Bearer $(cat leaked-key)" --json '{"name":"Spam","categoryId":7}' \\
      http://127.0.0.1:${port}/v1/pets >/dev/null
    id=$(animal-store keys list --json | jq --raw-output '.[] | select(.name == "leaked") | .id')
    animal-store keys rotate "$id" --grace 0s >/dev/null
    ${find.replace('ID', '"$id"')}
    cat leaked.ids
    ${remove}
    animal-store export --format csv - | grep --count Spam || true`;
};
