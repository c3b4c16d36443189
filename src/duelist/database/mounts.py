"""Which file system a file is on: SQLite's locks cannot be relied on across a network."""

import os
from pathlib import Path

NETWORK = {
    *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.glusterfs", "fuse.rclone"),
    *("fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs"),
    *("smb3", "smbfs", "virtiofs", "vboxsf"),
}
"""Kinds of file systems that several machines may write to."""
MOUNTS = Path("/proc/self/mounts")


def network_kind(path: str | os.PathLike[str], mounts: str | None = None) -> str | None:
    r"""Return the kind of network file system that a path is on; None for a local one, or where unknown.

    Parameters
    ----------
    path : path
        A file or folder, which need not be there.
    mounts : str, optional
        What is mounted where, as in /proc/self/mounts.

    Examples
    --------
    >>> network_kind("/srv/votes/studies.db", "/dev/sda1 / ext4 rw 0 0\nnas:/votes /srv/votes nfs4 rw 0 0")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = MOUNTS.read_text(errors="surrogateescape")
        except OSError:
            return None
    place = os.path.realpath(path)
    deepest, found = -1, None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = point == "/" or place == point or place.startswith(f"{point}/")
        if inside and len(point) >= deepest:  # of two mounted at one point, the later hides the earlier
            deepest, found = len(point), fields[2]
    return found if found in NETWORK else None
