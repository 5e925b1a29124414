#!/bin/sh
# Starts a copy of this machine in the folder $1, with a systemd and a loopback interface of its own. Only npm uses the
# network of the machine, for a registry. Prints the process id of systemd. Ends when standard input ends. Runs in a
# mount namespace of its own. It calls itself as process 1 of the copy.
set -eu
folder=$1
root=$folder/root

if [ $$ != 1 ]; then
  # systemd needs a control group that it can divide.
  mkdir "$folder/groups"
  mount -t cgroup2 groups "$folder/groups"
  group=$folder/groups/bare-machine-$$
  mkdir "$group"
  (
    sh -c 'echo $PPID' >"$group/cgroup.procs"
    exec unshare --cgroup --net --pid --fork --kill-child --mount "$0" "$folder" "/proc/$$/ns/net"
  ) &
  cat
  kill -KILL $!
  until find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; do sleep 0.1; done
  exit
fi

mkdir "$folder/changes" "$root"
mount -t tmpfs changes "$folder/changes"
mkdir "$folder/changes/upper" "$folder/changes/work"
mount -t overlay -o "lowerdir=/,upperdir=$folder/changes/upper,workdir=$folder/changes/work" machine "$root"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 groups "$root/sys/fs/cgroup"
mount -t tmpfs run "$root/run"
mount --rbind /dev "$root/dev"
touch "$root/run/outer-network"
mount --bind "$2" "$root/run/outer-network"
read -r systemd _ </proc/self/stat
mount -t proc proc "$root/proc"
# Makes the settings of the kernel read-only, because they belong to the whole machine.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"

npm=$(readlink -f "$(command -v npm)")
rm -f "$root/usr/local/bin/npm"
printf '#!/bin/sh\nexec nsenter --net=/run/outer-network node %s "$@"\n' "$npm" >"$root/usr/local/bin/npm"
chmod 755 "$root/usr/local/bin/npm"
mount -t tmpfs -o mode=700 home "$root/root"
rm -rf "$root/opt/animal-store" "$root/etc/animal-store" "$root"/etc/systemd/system/*
# Starts no service except the journal.
rm -rf "$root"/lib/systemd/system/sysinit.target.wants/*
ln -s ../systemd-journald.service "$root/lib/systemd/system/sysinit.target.wants/"
echo '[Unit]' >"$root/etc/systemd/system/bare.target"

ip link set lo up
cd "$root"
mkdir outer
pivot_root . outer
umount -l outer
echo "$systemd"
export container=bare-machine
exec /lib/systemd/systemd --system --unit=bare.target
